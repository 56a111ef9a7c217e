import type { LedgerKind, StoredEntry } from '../../contracts/ledger.js';
import type { TimelineEntry, TimelineKind } from '../../contracts/ports/evidence.store.js';
import { textOf } from './payload.text.js';

// What happened in one millisecond is shown in the order it must have happened. The view `run_timeline` ranks the same.
const RANK: { readonly [Kind in LedgerKind]?: number } = {
  'run.started': 0,
  'approval.requested': 1,
  'approval.voted': 2,
  'approval.refused': 2,
  'approval.decided': 3,
  'approval.withdrawn': 4,
  'approval.changed': 4,
  'approval.claimed': 5,
  'tool.intent': 5,
  'tool.executed': 6,
  'tool.late': 6,
  'tool.withdrawn': 6,
  'run.audit': 6,
  'approval.settled': 7,
  'approval.lost': 7,
  'operation.finished': 8,
  'run.terminal': 9,
  'approval.resolved': 10,
  'tool.resolved': 10,
};

const NAMES: { readonly [Kind in LedgerKind]?: TimelineKind } = {
  'tool.executed': 'execution',
  'tool.late': 'execution',
  'run.audit': 'execution',
  'operation.finished': 'operation',
};

/** The story of a run, from its records. */
export function timelineOf(entries: readonly StoredEntry[]): readonly TimelineEntry[] {
  return entries
    .filter(({ record }) => RANK[record.kind] !== undefined)
    .toSorted(inOrder)
    .map(told);
}

function inOrder(a: StoredEntry, b: StoredEntry): number {
  const byTime = a.record.at.getTime() - b.record.at.getTime();
  return byTime || (RANK[a.record.kind] ?? 0) - (RANK[b.record.kind] ?? 0) || (a.record.id < b.record.id ? -1 : 1);
}

function told(entry: StoredEntry): TimelineEntry {
  const { record } = entry;
  const isOfApproval = record.kind.startsWith('approval.');
  return Object.freeze({
    at: record.at,
    kind: NAMES[record.kind] ?? (record.kind as TimelineKind),
    id: (isOfApproval ? record.approvalId : record.kind === 'run.started' ? record.runId : record.id) ?? record.id,
    toolName: record.toolName ?? null,
    status: record.status ?? null,
    detail: detailOf(entry),
    by: isOfApproval ? (record.principalId ?? null) : null,
  });
}

function detailOf(entry: StoredEntry): string | null {
  const { record } = entry;
  if (record.kind === 'run.started') return record.agent ?? null;
  const error = typeof record.errorType === 'string' ? textOf(entry, 'error') : null;
  if (record.kind === 'run.terminal') return error ?? textOf(entry, 'reason');
  return textOf(entry, 'detail') ?? textOf(entry, 'reason') ?? error;
}
