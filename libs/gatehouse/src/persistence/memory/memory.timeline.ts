import type { TimelineEntry } from '../../contracts/ports/evidence.store.js';
import { approvalsOf } from './memory.approvals.js';
import type { MemoryState } from './memory.state.js';

// What happened in one millisecond is shown in the order it must have happened.
const ORDER: readonly TimelineEntry['kind'][] = [
  'run.started',
  'approval.requested',
  'approval.voted',
  'approval.refused',
  'approval.decided',
  'approval.withdrawn',
  'approval.claimed',
  'execution',
  'approval.settled',
  'approval.lost',
  'operation',
  'run.terminal',
  'approval.resolved',
];

/** What happened in a run, in order; nothing for an unknown one. */
export function timelineOf(state: MemoryState, runId: string): readonly TimelineEntry[] {
  const run = state.runs.get(runId);
  const ofRun = <T extends { readonly runId: string }>(records: ReadonlyMap<string, T>): T[] =>
    [...records.values()].filter((record) => record.runId === runId);
  const entries = [
    ...(run === undefined ? [] : [entry('run.started', run.startedAt, runId, null, null, run.made.agent)]),
    ...approvalEntries(state, runId),
    ...ofRun(state.operations).map((record) =>
      entry('operation', record.finishedAt, record.id, record.toolName, record.status, record.reason ?? record.error),
    ),
    ...ofRun(state.executions).map((event) =>
      entry(
        'execution',
        event.finishedAt,
        event.id,
        event.toolName,
        event.success ? 'success' : 'failure',
        event.error,
      ),
    ),
    ...ofRun(state.terminals).map((record) =>
      entry('run.terminal', record.finishedAt, record.id, null, record.status, record.error ?? record.reason),
    ),
  ];
  return entries.sort(inOrder);
}

function approvalEntries(state: MemoryState, runId: string): TimelineEntry[] {
  return approvalsOf(state, runId)
    .flatMap(({ history }) => history)
    .map(({ kind, at, approvalId, toolName, status, detail, principalId }) =>
      entry(`approval.${kind}`, at, approvalId, toolName, status, detail, principalId),
    );
}

function inOrder(a: TimelineEntry, b: TimelineEntry): number {
  return a.at.getTime() - b.at.getTime() || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (a.id < b.id ? -1 : 1);
}

function entry(
  kind: TimelineEntry['kind'],
  at: Date,
  id: string,
  toolName: string | null,
  status: string | null,
  detail: string | null,
  by: string | null = null,
): TimelineEntry {
  return Object.freeze({ at, kind, id, toolName, status, detail, by });
}
