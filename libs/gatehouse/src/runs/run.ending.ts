import { Injectable, Logger } from '@nestjs/common';
import { AuditEventFactory, type RunEnd } from '../audit/audit.event.factory.js';
import { ExecutionRecorder } from '../audit/execution.recorder.js';
import type { AuditEvent } from '../contracts/audit.event.js';
import { Clock } from '../contracts/clock.js';
import { LeaseLostError } from '../contracts/errors/lease-lost.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import { RunStore, type RunEnding as Ending } from '../contracts/ports/run.store.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { TerminalStatus } from '../contracts/statuses.js';
import type { TerminalRecord } from '../contracts/terminal.record.js';
import { skippedText, supersededText } from '../failure/model.texts.js';
import { externalAnswer, unanswered } from '../operations/external.answer.js';
import type { Operation } from '../operations/operation.js';
import { OperationPipeline } from '../operations/operation.pipeline.js';
import { skippedBy } from '../operations/response.pipeline.js';
import type { Ending as OperationEnding } from '../operations/passage.js';
import type { RunScope } from '../operations/run.scope.js';
import { describeError } from '../values/error-text.js';
import { newId } from '../values/ids.js';
import { Redactor } from '../values/redactor.js';
import { closingScope } from './closing.scope.js';
import type { DecidedEnd } from './decided.end.js';
import { endedFrame } from './ended.frame.js';
import type { LiveRun } from './live.run.js';
import { lostCall, type LostCall } from './lost.ending.js';
import { ScopeFactory } from './scope.factory.js';

/** One terminal record, with the last frames, the run-level execution record and everything still open, in one transaction. */
@Injectable()
export class RunEnding {
  private readonly logger = new Logger('gatehouse.runs');

  constructor(
    private readonly store: RunStore,
    private readonly pipeline: OperationPipeline,
    private readonly scopes: ScopeFactory,
    private readonly events: AuditEventFactory,
    private readonly recorder: ExecutionRecorder,
    private readonly redactor: Redactor,
    private readonly clock: Clock,
    private readonly traces: TraceContext,
  ) {}

  /** Returns the record once it is committed; nothing where another end came first, or another process owns the run. */
  async end(live: LiveRun, decided: DecidedEnd): Promise<TerminalRecord | undefined> {
    const scope = this.scopes.scope(live, { direct: false });
    await this.closeOperations(live, decided.open ?? 'skipped', closingScope(scope));
    const record = this.record(live, decided);
    const audit = this.audit(live, record, decided);
    const frame = endedFrame(live, decided, this.redactor);
    live.tellState();
    const committed = await this.commit(live, this.ending(live, record, audit, decided), live.log.closing(frame));
    if (!committed) return undefined;
    this.tellFailed(live, decided);
    await this.tellClosed(live, scope);
    if (audit !== undefined) await this.recorder.record(audit, true);
    return record;
  }

  /** Its client is told no more than that it failed. */
  private tellFailed({ runId, stored }: LiveRun, { status, stage, error }: DecidedEnd): void {
    if (status !== 'failed' || error === undefined) return;
    this.logger.error(
      `Run ${runId} of agent '${stored.agent}' failed (${stage ?? 'run'}): ${describeError(error)}`,
      error.stack,
    );
  }

  private async commit(live: LiveRun, ending: Ending, events: readonly RunEvent[]): Promise<boolean> {
    try {
      return await live.log.transactIf(
        events,
        (frames) => this.store.finish(live.fence, ending, frames),
        (first) => first,
      );
    } catch (error) {
      const lost = error instanceof LeaseLostError;
      this.logger[lost ? 'warn' : 'error'](`Run ${live.runId} could not be ended here: ${describeError(error)}`);
      if (lost) return false;
      // A store that is away takes no record; the loggers still do.
      if (ending.audit !== undefined) await this.recorder.record(ending.audit);
      throw error;
    }
  }

  /** Every proposal has exactly one terminal status, also where its run ended around it. */
  private async closeOperations(live: LiveRun, open: NonNullable<DecidedEnd['open']>, scope: RunScope): Promise<void> {
    const { step } = live;
    if (step === undefined) return;
    for (const operation of step.operations.filter(({ result }) => result === undefined)) {
      const { ending, told } = closedCall(operation, open, live);
      operation.told = told;
      await this.pipeline.conclude(operation, told ? { ...scope, settled: undefined } : scope, ending);
    }
    live.messages.push(...step.messages());
  }

  /** Once it is certain that this end is the one: an end that came first has told them itself. */
  private async tellClosed({ step, runId }: LiveRun, scope: RunScope): Promise<void> {
    for (const operation of step?.operations ?? []) {
      const undelivered = await this.pipeline.tell(operation, scope);
      if (undelivered !== undefined) this.logger.error(`Run ${runId} has ended: ${undelivered.error.message}`);
    }
  }

  private ending(live: LiveRun, record: TerminalRecord, audit: AuditEvent | undefined, decided: DecidedEnd): Ending {
    const { step, partial } = live;
    const spoken = partial === undefined || partial.text === '' ? [] : [said(partial.messageId, partial.text)];
    return {
      record,
      audit,
      operations: live.ledger.takeRecords(),
      messages: [...(step?.messages() ?? []), ...spoken],
      state: live.finalState(),
      counters: live.counters(),
      step: step?.stored(),
      openBecome: decided.open === 'superseded' ? 'superseded' : 'cancelled',
    };
  }

  private record(live: LiveRun, { status, stage, error }: DecidedEnd): TerminalRecord {
    const { stored } = live;
    const cancelled = status === 'cancelled' && error instanceof RunCancelledError ? error : undefined;
    return Object.freeze({
      id: newId(),
      runId: live.runId,
      threadId: stored.threadId,
      agent: stored.agent,
      status,
      stage,
      error: error === undefined ? null : this.redactor.redactText(describeError(error)),
      source: cancelled?.source ?? null,
      reason: cancelled === undefined ? null : this.redactor.redactText(cancelled.reason),
      organizationId: stored.organizationId ?? null,
      principalId: stored.user?.id ?? null,
      parentRunId: stored.parentRunId ?? null,
      parentOperationId: stored.parentOperationId ?? null,
      failedOperations: live.ledger.failedOperations,
      usage: live.ledger.usage,
      startedAt: stored.startedAt,
      finishedAt: this.clock.now(),
      ...this.traces.current(),
    });
  }

  /** A run that completed has no record of its own; every other one has exactly one. */
  private audit(live: LiveRun, record: TerminalRecord, { status, error }: DecidedEnd): AuditEvent | undefined {
    if (status === 'completed' || !this.recorder.active) return undefined;
    const { stored } = live;
    return this.events.runEvent({
      end: auditEnd(status, error),
      runId: live.runId,
      threadId: stored.threadId,
      principalId: stored.user?.id,
      organizationId: stored.organizationId,
      ipAddress: stored.ipAddress,
      startedAt: record.startedAt,
      finishedAt: record.finishedAt,
      durationMs: Math.max(0, record.finishedAt.getTime() - record.startedAt.getTime()),
    });
  }
}

const SKIPPED = { status: 'skipped', outcome: 'skipped', decidedBy: 'limit' } as const;

type Left = Exclude<NonNullable<DecidedEnd['open']>, 'interrupted'>;

const OPEN: Readonly<Record<Left, OperationEnding>> = {
  skipped: { ...SKIPPED, content: skippedText({ by: 'cancel' }) },
  superseded: {
    status: 'denied',
    outcome: 'denied',
    decidedBy: 'person',
    content: supersededText(),
    reason: 'superseded by a new message',
  },
};

const closedCall = (operation: Operation, open: NonNullable<DecidedEnd['open']>, live: LiveRun): LostCall => {
  const handedOn = externalAnswer(operation) ?? unanswered(operation);
  if (handedOn !== undefined) return { ending: handedOn, told: live.resultsTold.has(operation.id) };
  if (open === 'interrupted') return lostCall(operation, live.resultsTold);
  return { ending: openEnding(open, live.end), told: false };
};

const openEnding = (open: Left, end: LiveRun['end']): OperationEnding => {
  // What waited while a sibling ended the run is skipped like any other sibling: by that one.
  return open === 'skipped' && end !== undefined ? skippedBy(end) : OPEN[open];
};

const auditEnd = (status: Exclude<TerminalStatus, 'completed'>, error: Error | undefined): RunEnd => {
  if (status === 'interrupted') return { status };
  if (status === 'cancelled' && error instanceof RunCancelledError)
    return { status, source: error.source, reason: error.reason };
  return { status: status === 'cancelled' ? 'failed' : status, error };
};

const said = (id: string, text: string) => ({ id, role: 'assistant' as const, text, calls: [] });
