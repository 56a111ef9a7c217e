import type { LedgerEntry, StoredEntry } from '../../contracts/ledger.js';
import type { TerminalEntry } from '../../contracts/ports/evidence.store.js';
import type { RunStage, TerminalStatus } from '../../contracts/statuses.js';
import type { TerminalRecord } from '../../contracts/terminal.record.js';
import { ledgerName } from './ledger.name.js';
import { largeCount, smallCount } from './ledger.numbers.js';
import { errorType, freeText, payloadOf, textOf } from './payload.text.js';
import { tracePlace } from './trace.place.js';

const named = (name: string | null): string | null => (name === null ? null : ledgerName(name));

/** How a run ended, as the evidence keeps it; its operations have records of their own. */
export function runEndEntry(of: TerminalRecord): LedgerEntry {
  const failed = of.failedOperations.map(({ request }) => request.operationId);
  return {
    record: {
      id: of.id,
      kind: 'run.terminal',
      at: of.finishedAt,
      startedAt: of.startedAt,
      organizationId: named(of.organizationId),
      principalId: named(of.principalId),
      runId: of.runId,
      threadId: ledgerName(of.threadId),
      parentRunId: of.parentRunId,
      parentOperationId: of.parentOperationId,
      agent: ledgerName(of.agent),
      status: of.status,
      stage: of.stage,
      source: named(of.source),
      errorType: errorType(of.error),
      requests: smallCount(of.usage.requests),
      toolCalls: smallCount(of.usage.toolCalls),
      inputTokens: largeCount(of.usage.inputTokens),
      outputTokens: largeCount(of.usage.outputTokens),
      ...tracePlace(of),
    },
    payload: payloadOf({
      error: freeText(of.error),
      reason: freeText(of.reason),
      failedOperationIds: failed.length === 0 ? null : JSON.stringify(failed),
    }),
  };
}

/** How a run ended, as it is read back. */
export function terminalOf(entry: StoredEntry): TerminalEntry {
  const { record } = entry;
  return {
    id: record.id,
    runId: record.runId ?? '',
    threadId: record.threadId ?? '',
    agent: record.agent ?? '',
    // Only our own words were stored.
    status: record.status as TerminalStatus,
    stage: (record.stage ?? null) as RunStage | null,
    error: record.errorType === null ? null : textOf(entry, 'error'),
    source: record.source ?? null,
    reason: textOf(entry, 'reason'),
    organizationId: record.organizationId ?? null,
    principalId: record.principalId ?? null,
    parentRunId: record.parentRunId ?? null,
    parentOperationId: record.parentOperationId ?? null,
    failedOperationIds: JSON.parse(entry.payload?.failedOperationIds ?? '[]') as string[],
    usage: {
      requests: record.requests ?? 0,
      toolCalls: record.toolCalls ?? 0,
      inputTokens: record.inputTokens ?? 0,
      outputTokens: record.outputTokens ?? 0,
    },
    startedAt: record.startedAt ?? record.at,
    finishedAt: record.at,
    ...tracePlace(record),
  };
}
