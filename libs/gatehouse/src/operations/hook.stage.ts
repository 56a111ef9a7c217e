import { Injectable } from '@nestjs/common';
import type { HookDecision } from '../contracts/decisions/decisions.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { contentOf, redirectsSpentText } from '../failure/model.texts.js';
import { Redactor } from '../values/redactor.js';
import { checkArguments } from '../values/argument-text.js';
import type { Operation } from './operation.js';
import { asError, end, type Passage } from './passage.js';
import type { RunScope } from './run.scope.js';
import { opened } from './validation.stage.js';

type Redirect = Extract<HookDecision, { kind: 'redirect' }>;

/** Step 4, and the hooks' part of step 9. */
@Injectable()
export class HookStage {
  constructor(private readonly redactor: Redactor) {}

  async before(operation: Operation, scope: RunScope): Promise<Passage> {
    try {
      const { decision, shadowed } = await scope.roles.hooks.before(this.view(operation, scope));
      operation.shadowed.push(...shadowed);
      if (decision.kind === 'skip') return await this.stub(operation, decision.reason, decision.stubResult, scope);
      return decision.kind === 'redirect' ? await this.redirect(operation, decision, scope) : undefined;
    } catch (error) {
      return stoppedByHook(error);
    }
  }

  /** The method succeeded: a Redirect asks for one bounded re-execution. */
  async after(
    operation: Operation,
    scope: RunScope,
    result: unknown,
    durationMs: number,
  ): Promise<Redirect | undefined> {
    if (!scope.roles.hooks.has('afterTool')) return undefined;
    const { decision, shadowed } = await scope.roles.hooks.after({
      ...this.view(operation, scope),
      result,
      durationMs,
    });
    operation.shadowed.push(...shadowed);
    return decision.kind === 'redirect' ? decision : undefined;
  }

  async failed(operation: Operation, scope: RunScope, error: unknown): Promise<Redirect | undefined> {
    if (!scope.roles.hooks.has('onError')) return undefined;
    const { decision, shadowed } = await scope.roles.hooks.error({ ...this.view(operation, scope), error });
    operation.shadowed.push(...shadowed);
    return decision.kind === 'redirect' ? decision : undefined;
  }

  private view(operation: Operation, scope: RunScope) {
    const { call } = opened(operation);
    const args = operation.arguments?.plain ?? {};
    return { toolName: operation.toolName, args, state: scope.state, call };
  }

  private async stub(operation: Operation, reason: string, stubResult: unknown, scope: RunScope): Promise<Passage> {
    // `afterTool` still fires, so that observers see the skip; a redirect after a stub means nothing.
    await this.after(operation, scope, stubResult, 0);
    const content = contentOf(stubResult, this.redactor);
    return end({ status: 'stubbed', outcome: 'success', decidedBy: 'hook', content, reason, value: stubResult });
  }

  private async redirect(operation: Operation, decision: Redirect, scope: RunScope): Promise<Passage> {
    if (await this.changesNothing(operation, decision)) return undefined;
    if (operation.redirects >= scope.limits.redirects) {
      const content = redirectsSpentText(operation.toolName, operation.id);
      return end({ status: 'failed', outcome: 'failed', decidedBy: 'hook', content, reason: decision.reason });
    }
    return end({
      status: 'redirected',
      outcome: 'skipped',
      decidedBy: 'hook',
      content: '',
      reason: decision.reason,
      redirect: decision,
    });
  }

  private async changesNothing(
    operation: Operation,
    { tool: target = operation.toolName, args }: Redirect,
  ): Promise<boolean> {
    if (target !== operation.toolName) return false;
    if (args === undefined) return true;
    const checked = checkArguments(args);
    if (!checked.ok) return false;
    const validated = await opened(operation).tool.validate(checked.value);
    if (!validated.ok) return false;
    // What the hook was shown has passed the pipes: they need not give it once more.
    if (operation.arguments?.are(validated.value) === true) return true;
    return this.pipesGiveTheSame(operation, validated.value);
  }

  private async pipesGiveTheSame({ invocation, arguments: bound }: Operation, value: unknown): Promise<boolean> {
    if (invocation?.pipe === undefined) return false;
    try {
      return bound?.are(await invocation.pipe(value)) === true;
    } catch {
      // What they refuse is refused where the redirected call is validated.
      return false;
    }
  }
}

/** What a hook's abort, a fail-closed crash, or a cancel inside a hook comes to. */
export const stoppedByHook = (thrown: unknown, executed = false): Passage => {
  const error = asError(thrown);
  const aborted = error instanceof HookAbortError;
  const cancelled = error instanceof RunCancelledError;
  return end({
    status: executed ? 'completed' : aborted ? 'aborted' : cancelled ? 'interrupted' : 'failed',
    outcome: executed ? 'success' : 'skipped',
    decidedBy: 'hook',
    content: '',
    reason: aborted ? error.reason : undefined,
    error,
    ends: { error, stage: cancelled ? 'executor' : 'operation_inspection' },
  });
};
