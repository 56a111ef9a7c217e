import { Injectable } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { AuditEventFactory, type ToolExecution } from '../audit/audit.event.factory.js';
import { ExecutionRecorder } from '../audit/execution.recorder.js';
import { Clock } from '../contracts/clock.js';
import { ApprovalRequired } from '../contracts/errors/approval-required.js';
import { CallDeferred } from '../contracts/errors/call-deferred.js';
import { RetryBudgetExceededError } from '../contracts/errors/retry-budget-exceeded.error.js';
import { SkipToolExecution } from '../contracts/errors/skip-tool-execution.js';
import { ToolRetryError } from '../contracts/errors/tool-retry.error.js';
import { ToolTimeoutError } from '../contracts/errors/tool-timeout.error.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { CoreView } from './core.view.js';
import { Lineage } from './lineage.js';
import type { OperationCall } from './operation.call.js';
import type { Operation } from './operation.js';
import type { RunScope } from './run.scope.js';
import { askable } from '../values/askable.js';
import { timeBoxed } from '../values/time-box.js';
import { opened } from './validation.stage.js';

type Settled = { readonly value: unknown } | { readonly error: unknown };
type Described = Pick<ToolExecution, 'argumentsRepr' | 'target'>;

/** One start of a method: what it gets, and which of its operation's starts it is. */
export interface Start {
  readonly args: unknown;
  readonly attempt: number;
}

/** Starts the method, waits for it as long as it may take, and records the execution when it settles. */
@Injectable()
export class MethodRunner {
  constructor(
    private readonly lineage: Lineage,
    private readonly recorder: ExecutionRecorder,
    private readonly events: AuditEventFactory,
    private readonly clock: Clock,
    private readonly options: ResolvedOptions,
  ) {}

  async run(operation: Operation, scope: RunScope, { args, attempt }: Start, view: CoreView): Promise<unknown> {
    const { tool, call: first } = opened(operation);
    const call = attempt === 1 ? first : first.again();
    const described = this.describe(operation, args);
    let recorded = false;
    const startedAt = this.clock.now();
    const from = this.clock.monotonic();
    const overdue = tool.timeoutMs === undefined ? undefined : new AbortController();
    call.attempt = attempt;
    call.signal = overdue === undefined ? scope.signal : AbortSignal.any([scope.signal, overdue.signal]);
    const settling = this.invoke(operation, scope, call, args);
    const record = (settled: Settled, late: boolean): Promise<void> | undefined => {
      recorded = true;
      if ('error' in settled && isNoExecution(settled.error)) operation.withdrawn += 1;
      view.durationMs = this.clock.monotonic() - from;
      const timing = { startedAt, durationMs: view.durationMs, late };
      return described && this.record(operation, scope, described, settled, timing);
    };
    try {
      const settled = await timeBoxed(settling, {
        milliseconds: tool.timeoutMs,
        overdue: () => new ToolTimeoutError(operation.toolName, tool.timeoutMs ?? 0),
        signal: scope.signal,
        grace: this.options.runs.grace,
      });
      const recording = record(settled, false);
      if (recording !== undefined) await recording;
      if ('error' in settled) throw settled.error;
      return settled.value;
    } catch (error) {
      // JavaScript cannot stop a body: what it still does is recorded as late and never used.
      if (error instanceof ToolTimeoutError && overdue !== undefined) overdue.abort(error);
      if (!recorded) void settling.then((settled) => record(settled, true));
      throw error;
    }
  }

  private async invoke(operation: Operation, scope: RunScope, call: OperationCall, args: unknown): Promise<Settled> {
    const point = { operationId: operation.id, scope, signal: call.signal };
    try {
      const returned = await this.lineage.enter(point, () => operation.invocation?.start(args, call));
      return { value: isObservable(returned) ? await lastValueFrom(returned, { defaultValue: undefined }) : returned };
    } catch (error) {
      return { error: this.spent(operation, scope, askable(error)) };
    }
  }

  /** A retry signal past its budget is another error from here on: recorded so, handed on so. */
  private spent(operation: Operation, scope: RunScope, error: unknown): unknown {
    if (!(error instanceof ToolRetryError) || scope.direct) return error;
    const allowed = opened(operation).tool.retries ?? scope.limits.toolRetries;
    if (scope.ledger.spendRetry(operation.toolName, operation.step, allowed)) return error;
    return new RetryBudgetExceededError(operation.toolName, allowed, { cause: error });
  }

  /** Before the method starts: it may change what it was given. */
  private describe(operation: Operation, args: unknown): Described | undefined {
    if (!this.recorder.active) return undefined;
    return { argumentsRepr: this.events.argumentsText(args), target: targetOf(operation, args) };
  }

  private async record(
    operation: Operation,
    scope: RunScope,
    described: Described,
    settled: Settled,
    timing: { readonly startedAt: Date; readonly durationMs: number; readonly late: boolean },
  ): Promise<void> {
    if ('error' in settled && isNoExecution(settled.error)) return;
    await this.recorder.record(
      this.events.toolEvent({
        ...timing,
        ...described,
        toolName: operation.toolName,
        outcome: settled,
        runId: scope.runId,
        threadId: scope.threadId,
        operationId: operation.id,
        principalId: scope.user?.id,
        organizationId: scope.organizationId,
        ipAddress: scope.ipAddress,
        finishedAt: this.clock.now(),
      }),
    );
  }
}

/** A start that ended in a veto or a deferral, before any effect, is no execution. */
const isNoExecution = (error: unknown): boolean =>
  error instanceof SkipToolExecution || error instanceof ApprovalRequired || error instanceof CallDeferred;

/** What the call acted on, where the tool says so; a tool that cannot say does not fail for it. */
const targetOf = (operation: Operation, args: unknown) => {
  try {
    return opened(operation).tool.target?.(args);
  } catch {
    return undefined;
  }
};
