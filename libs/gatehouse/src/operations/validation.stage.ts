import { Injectable, HttpException } from '@nestjs/common';
import { InvalidArgumentsError } from '../contracts/errors/invalid-arguments.error.js';
import { NotPermitted } from '../contracts/errors/not-permitted.error.js';
import { RetryBudgetExceededError } from '../contracts/errors/retry-budget-exceeded.error.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import { ToolFailurePolicy } from '../contracts/ports/tool.failure.policy.js';
import type { CallApproval } from '../contracts/tool.call.js';
import { guardDenialText, retryPromptText } from '../failure/model.texts.js';
import type { RegisteredTool } from '../tools/registered.tool.js';
import { checkArguments, parseArguments } from '../values/argument-text.js';
import { askable } from '../values/askable.js';
import { isPending } from '../values/pending.js';
import { bind } from './bound.arguments.js';
import type { OperationCall } from './operation.call.js';
import { plainArguments, type Operation } from './operation.js';
import { asError, end, type Passage } from './passage.js';
import { verdictOn } from './policy.verdict.js';
import type { RunScope } from './run.scope.js';

/** Tells a guard's refusal from a schema's and from a pipe's: whatever is thrown before validation was reached came from the guards. */
export type Phase = 'guards' | 'schema' | 'pipes';

/** Step 3: Nest's guards, the tool's schema, Nest's pipes; what comes out is what everybody after sees. */
@Injectable()
export class ValidationStage {
  constructor(private readonly policy: ToolFailurePolicy) {}

  async validate(operation: Operation, scope: RunScope): Promise<Passage> {
    const { tool, call } = opened(operation);
    let phase: Phase = 'guards';
    try {
      const opening = tool.open(call);
      const invocation = isPending(opening) ? await opening : opening;
      operation.invocation = invocation;
      // Another tool of this name by now (another schema, another policy): nobody approved that one.
      if (operation.approval?.toolFingerprint !== tool.definition.fingerprint) operation.voidApproval();
      if (invocation.guard !== undefined) await invocation.guard(call);
      // On resume only the guards run again: what was approved is what was stored, not what a schema says today.
      if (operation.approval !== undefined) return this.approved(operation, operation.approval);
      phase = 'schema';
      const received = this.parse(operation);
      const checking = tool.validate(received.value);
      const validated = isPending(checking) ? await checking : checking;
      if (!validated.ok) throw new InvalidArgumentsError(tool.definition.name, validated.problems);
      phase = 'pipes';
      const value = invocation.pipe === undefined ? validated.value : await invocation.pipe(validated.value);
      // What nobody changed has the text it came with.
      const text = value === received.value ? received.canonical : undefined;
      operation.arguments = bind(tool, scope.digestKey, received.canonical, value, text);
      call.args = value;
      return undefined;
    } catch (thrown) {
      const error = askable(thrown);
      return phase === 'guards' ? this.refused(operation, error) : this.invalid(operation, error, phase, scope);
    }
  }

  private approved(operation: Operation, approval: StoredApproval): Passage {
    const { call } = opened(operation);
    call.args = operation.arguments?.value ?? plainArguments(approval.validated);
    call.approval = approvalOf(approval);
    return undefined;
  }

  private parse(operation: Operation) {
    const parsed =
      typeof operation.proposed === 'string'
        ? parseArguments(operation.proposed)
        : checkArguments(operation.proposed ?? {});
    if (!parsed.ok) throw new InvalidArgumentsError(operation.toolName, [parsed.problem]);
    return parsed;
  }

  private refused(operation: Operation, thrown: unknown): Passage {
    const error = isRefusal(thrown)
      ? thrown
      : new NotPermitted(`A guard of '${operation.toolName}' failed, so nobody may pass.`, { cause: thrown });
    return end({
      status: 'denied',
      outcome: 'denied',
      decidedBy: 'guard',
      content: guardDenialText(operation.toolName, operation.id),
      reason: 'refused by a guard',
      error,
      ends: this.mayGoOn(error) ? undefined : { error, stage: 'denial' },
    });
  }

  private invalid(operation: Operation, thrown: unknown, phase: Phase, scope: RunScope): Passage {
    const { tool, call } = opened(operation);
    const error =
      thrown instanceof InvalidArgumentsError
        ? thrown
        : new InvalidArgumentsError(operation.toolName, [pipeProblem(thrown, phase)], { cause: thrown });
    const content = retryPromptText(error, operation.id);
    const allowed = tool.retries ?? scope.limits.toolRetries;
    if (scope.ledger.spendRetry(operation.toolName, operation.step, allowed)) {
      return end({ status: 'failed', outcome: 'retry', decidedBy: 'admission', content, error });
    }
    const spent = new RetryBudgetExceededError(operation.toolName, allowed, { cause: error });
    const failed = { status: 'failed', outcome: 'failed', decidedBy: 'admission', content } as const;
    if (scope.direct) return end({ ...failed, error });
    const verdict = verdictOn(spent, this.policy, call);
    if ('content' in verdict) return end({ ...failed, content: verdict.content, error: spent });
    return end({ ...failed, error: spent, ends: { error: asError(verdict.ends), stage: 'executor' } });
  }

  /** A policy that cannot say so lets nobody go on. */
  private mayGoOn(denial: Error): boolean {
    try {
      return !this.policy.endsRun(denial);
    } catch {
      return false;
    }
  }
}

const isRefusal = (thrown: unknown): thrown is Error =>
  thrown instanceof NotPermitted || (thrown instanceof HttpException && [401, 403].includes(thrown.getStatus()));

/** A pipe's own words are for the model only where it threw a 4xx on purpose. */
export const pipeProblem = (thrown: unknown, phase: Phase): string => {
  if (thrown instanceof HttpException && thrown.getStatus() < 500) return asError(thrown).message;
  return phase === 'pipes' ? 'a pipe refused them' : 'they could not be validated';
};

const approvalOf = ({ id, decidedBy, note }: StoredApproval): CallApproval => Object.freeze({ id, decidedBy, note });

/** Tool and call of an operation that was admitted. */
export const opened = (operation: Operation): { tool: RegisteredTool; call: OperationCall } => {
  const { tool, call } = operation;
  if (tool === undefined || call === undefined) throw new Error(`Operation ${operation.id} was not admitted.`);
  return { tool, call };
};
