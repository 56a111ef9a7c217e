import type { AuditEvent } from '../../contracts/audit.event.js';
import type { LedgerEntry, LedgerKind, StoredEntry } from '../../contracts/ledger.js';
import { visibleText } from '../visible-text.js';
import { ledgerName } from './ledger.name.js';
import { microseconds, milliseconds, smallCount } from './ledger.numbers.js';
import { errorType, freeText, payloadOf, textOf } from './payload.text.js';
import { tracePlace } from './trace.place.js';

/** The kinds that are executions. */
export const EXECUTION_KINDS: readonly LedgerKind[] = Object.freeze(['tool.executed', 'tool.late', 'run.audit']);

const named = (name: string | null): string | null => (name === null ? null : ledgerName(name));

/** An execution as the evidence keeps it. */
export function executionEntry(event: AuditEvent): LedgerEntry {
  return {
    record: {
      id: event.id,
      kind: kindOf(event),
      at: event.finishedAt,
      startedAt: event.startedAt,
      organizationId: named(event.organizationId),
      principalId: named(event.principalId),
      runId: event.runId,
      threadId: ledgerName(event.threadId),
      operationId: event.operationId,
      toolName: ledgerName(event.toolName),
      status: event.success ? 'success' : 'failure',
      late: event.late,
      errorType: errorType(event.error),
      targetType: named(event.targetType),
      targetId: named(event.targetId),
      durationUs: microseconds(event.durationMs),
      resultSize: smallCount(event.resultSize),
      ...tracePlace(event),
    },
    payload: payloadOf({
      arguments: visibleText(event.argumentsRepr),
      error: freeText(event.error),
      ipAddress: event.ipAddress === null ? null : visibleText(event.ipAddress),
    }),
  };
}

function kindOf({ kind, late }: AuditEvent): LedgerKind {
  if (kind === 'run') return 'run.audit';
  return late ? 'tool.late' : 'tool.executed';
}

/** An execution as it is read back. */
export function executionOf(entry: StoredEntry): AuditEvent {
  const { record } = entry;
  return {
    id: record.id,
    kind: record.kind === 'run.audit' ? 'run' : 'tool',
    toolName: record.toolName ?? '',
    argumentsRepr: textOf(entry, 'arguments') ?? '',
    durationMs: milliseconds(record.durationUs),
    success: record.status === 'success',
    error: record.errorType === null ? null : textOf(entry, 'error'),
    resultSize: record.resultSize ?? null,
    organizationId: record.organizationId ?? null,
    targetType: record.targetType ?? null,
    targetId: record.targetId ?? null,
    ipAddress: textOf(entry, 'ipAddress'),
    runId: record.runId ?? '',
    threadId: record.threadId ?? '',
    operationId: record.operationId ?? null,
    principalId: record.principalId ?? null,
    late: record.late === true,
    startedAt: record.startedAt ?? record.at,
    finishedAt: record.at,
    ...tracePlace(record),
  };
}
