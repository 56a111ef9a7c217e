import { Injectable } from '@nestjs/common';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { RunCandidate } from '../contracts/run.js';
import { outputAcceptedText, skippedText } from '../failure/model.texts.js';
import { answerOf } from './approval.answer.js';
import { externalAnswer } from './external.answer.js';
import type { Operation } from './operation.js';
import type { OutputContract } from './output/output.contract.js';
import { OutputPipeline } from './output/output.pipeline.js';
import { OperationPipeline, type OperationOutcome } from './operation.pipeline.js';
import { isNobodys, type Ending, type RunEnd } from './passage.js';
import type { RunScope } from './run.scope.js';

/** What one response of the model came to. */
export interface ResponseOutcome {
  /** In emission order; redirected ones beside what took their place. */
  readonly operations: readonly Operation[];
  readonly waiting: readonly StoredApproval[];
  readonly deferred: readonly StoredDeferral[];
  readonly ends?: RunEnd;
  /** The output that won. */
  readonly accepted?: RunCandidate;
}

/** What may still block or end the rest of a response. */
interface Barrier {
  blockedBy?: string;
  ends?: RunEnd;
  /** The first call that waits, for a person or a result from outside: no output wins beside it. */
  waiting?: string;
  /** The first valid output. Whether it wins is known once all its siblings have settled. */
  valid?: ValidOutput;
}

/** One response: its calls in emission order, and the barrier between them. */
@Injectable()
export class ResponsePipeline {
  constructor(
    private readonly pipeline: OperationPipeline,
    private readonly outputs: OutputPipeline,
  ) {}

  async run(operations: readonly Operation[], scope: RunScope): Promise<ResponseOutcome> {
    const barrier: Barrier = {};
    const allowed = scope.limits.callsPerResponse;
    if (operations.length > allowed) {
      barrier.ends = { error: new LimitExceededError('callsPerResponse', allowed), stage: 'limit' };
    }
    const outcomes = new Map<Operation, OperationOutcome>();
    const queue = inTurn(operations, scope).values();
    const work = async () => {
      for (const operation of queue) {
        const outcome = await this.one(operation, scope, barrier);
        outcomes.set(operation, outcome);
        close(barrier, outcome);
      }
    };
    const side = lanes(scope, operations);
    await (side === 1 ? work() : Promise.all(Array.from({ length: side }, work)));
    const accepted = barrier.valid === undefined ? undefined : await this.accept(barrier.valid, barrier, scope);
    const ordered = operations.flatMap((operation) => outcomes.get(operation) ?? []);
    return {
      operations: ordered.flatMap((outcome) => outcome.chain),
      waiting: ordered.flatMap((outcome) => outcome.waiting ?? []),
      deferred: ordered.flatMap((outcome) => outcome.deferred ?? []),
      ends: barrier.ends,
      accepted,
    };
  }

  /** Tells of calls that nothing was told of while the run was not surely ours: now it is. */
  async tell(operations: readonly Operation[], scope: RunScope): Promise<RunEnd | undefined> {
    let undelivered: RunEnd | undefined;
    for (const operation of operations) undelivered ??= await this.pipeline.tell(operation, scope);
    return undelivered;
  }

  /** The first valid output wins, unless a sibling was refused, waits, or ended the run. */
  private async accept(valid: ValidOutput, barrier: Barrier, scope: RunScope): Promise<RunCandidate | undefined> {
    const { ends, blockedBy = barrier.waiting } = barrier;
    const blocked = ends !== undefined || blockedBy !== undefined;
    const ending = ends === undefined ? undefined : skippedBy(ends, barrier.blockedBy);
    const outcome = await this.pipeline.conclude(
      valid.operation,
      scope,
      ending ?? (blockedBy === undefined ? won(valid.candidate) : behind(blockedBy)),
    );
    close(barrier, outcome);
    return blocked || barrier.ends !== undefined ? undefined : valid.candidate;
  }

  private one(operation: Operation, scope: RunScope, barrier: Barrier): Promise<OperationOutcome> {
    const external = externalAnswer(operation);
    if (external !== undefined) return this.external(operation, scope, external);
    const { ends, blockedBy } = barrier;
    if (ends !== undefined) return this.pipeline.conclude(operation, scope, skippedBy(ends, blockedBy));
    if (blockedBy !== undefined) return this.pipeline.conclude(operation, scope, behind(blockedBy));
    if (scope.output !== undefined && isBehindOutput(operation, scope.output, barrier)) {
      return this.pipeline.conclude(operation, scope, behindOutput(barrier.valid));
    }
    if (operation.kind === 'output') return this.output(operation, scope, barrier);
    const answered = answerOf(operation, scope);
    return answered === undefined
      ? this.pipeline.run(operation, scope)
      : this.pipeline.conclude(operation, scope, answered);
  }

  /** It has happened elsewhere: nothing in this response can undo it any more. */
  private external(operation: Operation, scope: RunScope, ending: Ending): Promise<OperationOutcome> {
    if (ending.outcome === 'success') scope.ledger.succeeded(operation.toolName);
    return this.pipeline.conclude(operation, scope, ending);
  }

  private async output(operation: Operation, scope: RunScope, barrier: Barrier): Promise<OperationOutcome> {
    if (scope.output === undefined) throw new Error(`Operation ${operation.id} is an output nobody asked for.`);
    if (barrier.waiting !== undefined) return this.pipeline.conclude(operation, scope, behind(barrier.waiting));
    const verdict = await this.outputs.evaluate(operation, scope, scope.output);
    if ('ending' in verdict) return this.pipeline.conclude(operation, scope, verdict.ending);
    barrier.valid = { operation, candidate: verdict.candidate };
    return { chain: [operation] };
  }
}

interface ValidOutput {
  readonly operation: Operation;
  readonly candidate: RunCandidate;
}

/** Emission order; only an output in the text, which stands behind all calls, goes first where it is wanted early. */
const inTurn = (operations: readonly Operation[], scope: RunScope): readonly Operation[] => {
  const last = operations.at(-1);
  if (last?.inText !== true || scope.output?.endStrategy !== 'early') return operations;
  return [last, ...operations.slice(0, -1)];
};

/** A later output always; where the output is wanted early, whatever follows it. */
const isBehindOutput = ({ kind }: Operation, { endStrategy }: OutputContract, { valid }: Barrier): boolean =>
  valid !== undefined && (kind === 'output' || endStrategy === 'early');

const behindOutput = (valid: ValidOutput | undefined): Ending => ({
  ...SKIPPED,
  decidedBy: 'barrier',
  content: skippedText({ by: 'output' }),
  blockedBy: valid?.operation.id,
});

const behind = (blockedBy: string): Ending => ({
  ...SKIPPED,
  decidedBy: 'barrier',
  content: skippedText({ by: 'barrier', operationId: blockedBy }),
  blockedBy,
});

const won = (candidate: RunCandidate): Ending => ({
  status: 'completed',
  outcome: 'success',
  content: outputAcceptedText(),
  value: 'value' in candidate ? candidate.value : undefined,
});

const SKIPPED = { status: 'skipped', outcome: 'skipped' } as const;

/** What becomes of a call that the end of its run overtook. */
export const skippedBy = (ends: RunEnd, blockedBy = ends.by): Ending => ({
  ...SKIPPED,
  decidedBy: blockedBy === undefined ? 'limit' : 'barrier',
  content: skippedText(blockedBy === undefined ? { by: causeOf(ends) } : { by: 'barrier', operationId: blockedBy }),
  blockedBy,
});

const causeOf = (ends: RunEnd) => (ends.stage === 'limit' ? 'limit' : 'cancel');

/** In order, unless nobody decides between the calls: then some of them may run side by side. */
const lanes = (scope: RunScope, operations: readonly Operation[]): number => {
  const decides = scope.roles.inspectors.size > 0 || scope.roles.hooks.hasBefore;
  if (decides || operations.some(({ kind }) => kind === 'output')) return 1;
  return Math.max(1, Math.min(operations.length, scope.limits.parallelToolCalls));
};

const close = (barrier: Barrier, { chain, ends, waiting, deferred }: OperationOutcome): void => {
  const last = chain.at(-1);
  if (waiting !== undefined || deferred !== undefined) barrier.waiting ??= last?.id;
  if (ends !== undefined && barrier.ends === undefined) {
    barrier.blockedBy = isNobodys(ends) ? undefined : (ends.by ?? last?.id);
    barrier.ends = { ...ends, by: barrier.blockedBy };
    return;
  }
  if (last?.finished?.status === 'rejected') barrier.blockedBy ??= last.id;
};
