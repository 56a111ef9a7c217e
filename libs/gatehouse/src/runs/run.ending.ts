import { Injectable, Logger } from '@nestjs/common';
import { AuditEventFactory, type RunEnd } from '../audit/audit.event.factory.js';
import { ExecutionRecorder } from '../audit/execution.recorder.js';
import type { AuditEvent } from '../contracts/audit.event.js';
import { Clock } from '../contracts/clock.js';
import { LeaseLostError } from '../contracts/errors/lease-lost.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { RunStore, type RunEnding as Ending } from '../contracts/ports/run.store.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { TerminalStatus } from '../contracts/statuses.js';
import type { TerminalRecord } from '../contracts/terminal.record.js';
import { interruptedText, skippedText, supersededText } from '../failure/model.texts.js';
import type { Operation } from '../operations/operation.js';
import { OperationPipeline } from '../operations/operation.pipeline.js';
import { skippedBy } from '../operations/response.pipeline.js';
import type { Ending as OperationEnding } from '../operations/passage.js';
import { describeError } from '../values/error-text.js';
import { newId } from '../values/ids.js';
import { Redactor } from '../values/redactor.js';
import type { DecidedEnd } from './decided.end.js';
import { endedFrame } from './ended.frame.js';
import type { LiveRun } from './live.run.js';
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
  ) {}

  /** Returns the record once it is committed; nothing where another end came first, or another process owns the run. */
  async end(live: LiveRun, decided: DecidedEnd): Promise<TerminalRecord | undefined> {
    await this.closeOperations(live, decided.open ?? 'skipped');
    const record = this.record(live, decided);
    const audit = this.audit(live, record, decided);
    const frame = endedFrame(live, decided, this.redactor);
    const committed = await this.commit(live, this.ending(live, record, audit, decided), live.log.closing(frame));
    if (!committed) return undefined;
    if (audit !== undefined) await this.recorder.record(audit);
    return record;
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
  private async closeOperations(live: LiveRun, open: NonNullable<DecidedEnd['open']>): Promise<void> {
    const { step } = live;
    if (step === undefined) return;
    const scope = this.scopes.scope(live, { direct: false });
    for (const operation of step.operations) {
      if (operation.result === undefined)
        await this.pipeline.conclude(operation, scope, openEnding(operation, open, live.end));
    }
    live.messages.push(...step.messages());
  }

  private ending(live: LiveRun, record: TerminalRecord, audit: AuditEvent | undefined, decided: DecidedEnd): Ending {
    const { step, partial } = live;
    const spoken = partial === undefined || partial.text === '' ? [] : [said(partial.messageId, partial.text)];
    return {
      record,
      audit,
      operations: live.ledger.takeRecords(),
      messages: [...(step?.messages() ?? []), ...spoken],
      state: live.state,
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

const OPEN: Readonly<Record<NonNullable<DecidedEnd['open']>, OperationEnding>> = {
  skipped: { ...SKIPPED, content: skippedText({ by: 'cancel' }) },
  superseded: {
    status: 'denied',
    outcome: 'denied',
    decidedBy: 'person',
    content: supersededText(),
    reason: 'superseded by a new message',
  },
  interrupted: {
    status: 'interrupted',
    outcome: 'skipped',
    content: '',
    reason: 'process lost',
  },
};

const openEnding = (
  operation: Operation,
  open: NonNullable<DecidedEnd['open']>,
  end: LiveRun['end'],
): OperationEnding => {
  if (open === 'interrupted') return { ...OPEN[open], content: interruptedText(operation.toolName, operation.id) };
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
