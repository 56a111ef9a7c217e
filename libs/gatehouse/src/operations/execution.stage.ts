import { Injectable, Logger } from '@nestjs/common';
import { contentOf } from '../failure/model.texts.js';
import { throughMiddleware } from '../middleware/onion.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import { askable } from '../values/askable.js';
import { Redactor } from '../values/redactor.js';
import { Core } from './core.js';
import type { CoreView } from './core.view.js';
import { FailureStage } from './failure.stage.js';
import { HookStage, stoppedByHook } from './hook.stage.js';
import type { Operation } from './operation.js';
import { OperationRecords } from './operation.records.js';
import { asError, end, type Ending, type Passage, type Stop } from './passage.js';
import type { RunScope } from './run.scope.js';
import { tracedCall, tracedStop } from './traced.call.js';
import { opened } from './validation.stage.js';

/** Steps 8 and 9: middleware, interceptors and the core around the method; then hooks on what came of it; then, last of all, the failure policy. */
@Injectable()
export class ExecutionStage {
  private readonly logger = new Logger('gatehouse.operations');

  constructor(
    private readonly core: Core,
    private readonly hooks: HookStage,
    private readonly failures: FailureStage,
    private readonly redactor: Redactor,
    private readonly records: OperationRecords,
    private readonly traces: TraceContext,
  ) {}

  execute(operation: Operation, scope: RunScope): Promise<Stop> {
    return this.traces.spans ? this.traced(operation, scope) : this.executed(operation, scope);
  }

  /** All starts of one call, whoever tries again, are inside one span. */
  private async traced(operation: Operation, scope: RunScope): Promise<Stop> {
    const work = () => {
      operation.trace = this.traces.current();
      return this.executed(operation, scope);
    };
    const ended = (stop: Stop) => tracedStop(stop, this.redactor);
    const stop = await this.traces.call(tracedCall(operation, scope, this.records), work, ended);
    // What waits is settled later, in a span of its own.
    operation.traced = 'ending' in stop;
    return stop;
  }

  private async executed(operation: Operation, scope: RunScope): Promise<Stop> {
    const view: CoreView = { claimed: false, durationMs: 0 };
    const came = await this.onion(operation, scope, view);
    const stop =
      'error' in came
        ? await this.failures.failed(operation, scope, view, came.error)
        : await this.succeeded(operation, scope, view, came.value);
    return view.claimed && 'ending' in stop ? this.settle(operation, scope, stop.ending) : stop;
  }

  private async onion(
    operation: Operation,
    scope: RunScope,
    view: CoreView,
  ): Promise<{ value: unknown } | { error: unknown }> {
    const { call } = opened(operation);
    const { invocation, arguments: bound } = operation;
    if (invocation === undefined) throw new Error(`Operation ${operation.id} has no invocation.`);
    const inside = (args: unknown) =>
      invocation.execute(call, args, (arrived) => this.core.start(operation, scope, view, arrived));
    try {
      const value = await throughMiddleware(scope.roles.middleware, call, bound?.value, inside);
      await this.lookedAt(view);
      return view.kept === undefined ? { value } : { error: view.kept };
    } catch (error) {
      await this.lookedAt(view);
      return { error: view.kept ?? askable(error) };
    }
  }

  /** A start that nobody waits for, and that is being looked at, belongs to this call; later ones belong to nothing. */
  private async lookedAt(view: CoreView): Promise<void> {
    view.over = true;
    await view.turn;
  }

  private async succeeded(operation: Operation, scope: RunScope, view: CoreView, value: unknown): Promise<Stop> {
    scope.ledger.succeeded(operation.toolName);
    const ending: Ending = {
      status: 'completed',
      outcome: 'success',
      content: scope.heard ? contentOf(value, this.redactor) : '',
      value,
    };
    try {
      if (!scope.roles.hooks.has('afterTool')) return { ending };
      const redirect = await this.hooks.after(operation, scope, value, view.durationMs);
      if (redirect === undefined) return { ending };
      if (operation.redirects < scope.limits.redirects) return end({ ...ending, redirect });
      this.logger.warn(`A hook redirected ${operation.toolName} (${operation.id}) once too often; the result stands.`);
      return { ending };
    } catch (error) {
      const stopped = stoppedByHook(error, true) as Extract<Passage, { ending: Ending }>;
      return end({ ...ending, ends: stopped.ending.ends });
    }
  }

  /** A claimed call's outcome is stored before anyone uses it. What a cancel interrupted has none: a person says what became of it. */
  private async settle(operation: Operation, scope: RunScope, ending: Ending): Promise<Stop> {
    if (operation.approvalId === undefined || ending.status === 'interrupted') return { ending };
    const { status, outcome, content } = ending;
    try {
      await scope.approvals.settle(operation.approvalId, { status, outcome, content });
      return { ending };
    } catch (error) {
      return end({ ...ending, ends: ending.ends ?? { error: asError(error), stage: 'delivery' } });
    }
  }
}
