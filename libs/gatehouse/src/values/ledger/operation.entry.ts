import type { LedgerEntry, StoredEntry } from '../../contracts/ledger.js';
import type { ShadowedDecision } from '../../contracts/operation.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { DecidedBy, OperationStatus, ToolOutcome } from '../../contracts/statuses.js';
import { visibleText } from '../visible-text.js';
import { ledgerName } from './ledger.name.js';
import { microseconds, milliseconds } from './ledger.numbers.js';
import { errorType, freeText, payloadOf, textOf } from './payload.text.js';
import { tracePlace } from './trace.place.js';

const named = (name: string | null): string | null => (name === null ? null : ledgerName(name));

/** An operation's record as the evidence keeps it. Its id is the operation's. */
export function operationEntry(of: OperationRecord): LedgerEntry {
  return {
    record: {
      id: of.id,
      kind: 'operation.finished',
      at: of.finishedAt,
      startedAt: of.startedAt,
      organizationId: named(of.organizationId),
      principalId: named(of.principalId),
      runId: of.runId,
      threadId: ledgerName(of.threadId),
      operationId: of.id,
      parentOperationId: of.parentOperationId,
      approvalId: of.approvalId,
      blockedByOperationId: of.blockedByOperationId,
      redirectedFromOperationId: of.redirectedFromOperationId,
      step: of.step,
      position: of.position,
      toolName: ledgerName(of.toolName),
      toolCallId: ledgerName(of.toolCallId),
      callKind: of.kind,
      status: of.status,
      outcome: of.outcome,
      decidedBy: of.decidedBy,
      executionStarted: of.executionStarted,
      argumentsDigest: of.argumentsDigest,
      executedDigest: of.executedDigest,
      errorType: errorType(of.error),
      durationUs: microseconds(of.durationMs),
      ...tracePlace(of),
    },
    payload: payloadOf({
      arguments: visibleText(of.argumentsRepr),
      reason: freeText(of.reason),
      guidance: freeText(of.guidance),
      error: freeText(of.error),
      shadowed: of.shadowed.length === 0 ? null : shadowedText(of.shadowed),
    }),
  };
}

const shadowedText = (shadowed: readonly ShadowedDecision[]): string =>
  JSON.stringify(shadowed.map(({ hook, decision }) => ({ hook: visibleText(hook), decision })));

/** An operation's record as it is read back. */
export function operationOf(entry: StoredEntry): OperationRecord {
  const { record } = entry;
  return {
    id: record.id,
    runId: record.runId ?? '',
    threadId: record.threadId ?? '',
    step: record.step ?? 0,
    position: record.position ?? 0,
    kind: record.callKind === 'output' ? 'output' : 'tool',
    toolName: record.toolName ?? '',
    toolCallId: record.toolCallId ?? '',
    argumentsRepr: textOf(entry, 'arguments') ?? '',
    argumentsDigest: record.argumentsDigest ?? null,
    executedDigest: record.executedDigest ?? null,
    // Only our own words were stored.
    status: record.status as OperationStatus,
    outcome: record.outcome as ToolOutcome,
    executionStarted: record.executionStarted === true,
    decidedBy: (record.decidedBy ?? null) as DecidedBy | null,
    reason: textOf(entry, 'reason'),
    guidance: textOf(entry, 'guidance'),
    blockedByOperationId: record.blockedByOperationId ?? null,
    redirectedFromOperationId: record.redirectedFromOperationId ?? null,
    approvalId: record.approvalId ?? null,
    error: record.errorType === null ? null : textOf(entry, 'error'),
    shadowed: JSON.parse(entry.payload?.shadowed ?? '[]') as ShadowedDecision[],
    organizationId: record.organizationId ?? null,
    principalId: record.principalId ?? null,
    parentOperationId: record.parentOperationId ?? null,
    startedAt: record.startedAt ?? record.at,
    finishedAt: record.at,
    durationMs: milliseconds(record.durationUs),
    ...tracePlace(record),
  };
}
