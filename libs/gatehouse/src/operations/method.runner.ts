import { Injectable } from '@nestjs/common';
import { isObservable } from 'rxjs';
import { AuditEventFactory, type ToolExecution } from '../audit/audit.event.factory.js';
import { ExecutionRecorder } from '../audit/execution.recorder.js';
import { IntentRecords, type Intent } from '../audit/intents/intent.records.js';
import { Clock } from '../contracts/clock.js';
import { ApprovalRequired } from '../contracts/errors/approval-required.js';
import { CallDeferred } from '../contracts/errors/call-deferred.js';
import { RetryBudgetExceededError } from '../contracts/errors/retry-budget-exceeded.error.js';
import { SkipToolExecution } from '../contracts/errors/skip-tool-execution.js';
import { ToolRetryError } from '../contracts/errors/tool-retry.error.js';
import { ToolTimeoutError } from '../contracts/errors/tool-timeout.error.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { CoreView } from './core.view.js';
import { Lineage } from './lineage.js';
import type { OperationCall } from './operation.call.js';
import type { Operation } from './operation.js';
import type { RunScope } from './run.scope.js';
import { askable } from '../values/askable.js';
import { lastOf } from '../values/last-of.js';
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
    private readonly intents: IntentRecords,
    private readonly events: AuditEventFactory,
    private readonly clock: Clock,
    private readonly options: ResolvedOptions,
    private readonly traces: TraceContext,
  ) {}

  async run(operation: Operation, scope: RunScope, { args, attempt }: Start, view: CoreView): Promise<unknown> {
    const { tool, call: first } = opened(operation);
    const call = attempt === 1 ? first : first.again();
    const mustBeRecorded = this.intents.needed({ destructive: tool.definition.destructive, audit: tool.audit });
    const described = this.describe(operation, args, mustBeRecorded);
    const intent = mustBeRecorded ? await this.announced(operation, scope, described) : undefined;
    let recorded = false;
    const startedAt = this.clock.now();
    const from = this.clock.monotonic();
    const overdue = tool.timeoutMs === undefined ? undefined : new AbortController();
    call.attempt = attempt;
    // Whoever stood around may have put others there: what is told of the call is what its method gets.
    call.args = args;
    call.signal = overdue === undefined ? scope.signal : AbortSignal.any([scope.signal, overdue.signal]);
    const settling = this.invoke(operation, scope, call, args);
    const record = (settled: Settled, late: boolean): Promise<void> | undefined => {
      recorded = true;
      if ('error' in settled && isNoExecution(settled.error)) operation.withdrawn += 1;
      view.durationMs = this.clock.monotonic() - from;
      const timing = { startedAt, durationMs: view.durationMs, late };
      return described && this.record(operation, scope, described, settled, timing, intent);
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
      if (!recorded) void settling.then((settled) => record(settled, true)).catch(() => undefined);
      throw error;
    }
  }

  private async announced(operation: Operation, scope: RunScope, described: Described | undefined): Promise<Intent> {
    try {
      return await this.announce(operation, scope, described);
    } catch (error) {
      // Counted as a start before; it is none.
      operation.withdrawn += 1;
      throw error;
    }
  }

  /** That the method is about to start, before it does. While that was committed, the run may have been cancelled or lost. */
  private async announce(operation: Operation, scope: RunScope, described: Described | undefined): Promise<Intent> {
    const intent = await this.intents.open({
      runId: scope.runId,
      threadId: scope.threadId,
      operationId: operation.id,
      approvalId: operation.approval?.id,
      toolName: operation.toolName,
      argumentsDigest: operation.arguments?.digest,
      argumentsRepr: described?.argumentsRepr ?? '',
      organizationId: scope.organizationId,
      principalId: scope.user?.id,
      trace: this.traces.current(),
    });
    try {
      scope.fence.check();
    } catch (error) {
      await this.intents.withdraw(intent).catch(() => undefined);
      throw error;
    }
    return intent;
  }

  private async invoke(operation: Operation, scope: RunScope, call: OperationCall, args: unknown): Promise<Settled> {
    const point = { operationId: operation.id, scope, signal: call.signal };
    try {
      const returned = await this.lineage.enter(point, () => operation.invocation?.start(args, call));
      return { value: isObservable(returned) ? await lastOf(returned, call.signal) : returned };
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
  private describe(operation: Operation, args: unknown, mustBeRecorded: boolean): Described | undefined {
    if (!this.recorder.active && !mustBeRecorded) return undefined;
    return { argumentsRepr: this.events.argumentsText(args), target: targetOf(operation, args) };
  }

  private async record(
    operation: Operation,
    scope: RunScope,
    described: Described,
    settled: Settled,
    timing: { readonly startedAt: Date; readonly durationMs: number; readonly late: boolean },
    intent: Intent | undefined,
  ): Promise<void> {
    if ('error' in settled && isNoExecution(settled.error)) {
      if (intent !== undefined) await this.intents.withdraw(intent);
      return;
    }
    const event = this.events.toolEvent({
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
    });
    if (intent !== undefined) await this.intents.settle(intent, event);
    await this.recorder.record(event, intent !== undefined);
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
