import type { Fence } from '../../contracts/ports/run.fence.js';
import type { Ownership, Renewal, SweepResult } from '../../contracts/ports/run.store.js';
import { approvalsOf, expireOverdue, loseClaims } from './memory.approvals.js';
import { deferralsOf, waitsForSomebody } from './memory.deferrals.js';
import type { MemoryRun, MemoryState } from './memory.state.js';
import { storedRun } from './memory.views.js';

/** Renews what is still owned; says what is not, and what somebody wants cancelled. */
export function renewLeases(state: MemoryState, fences: readonly Fence[], ownership: Ownership, now: Date): Renewal {
  const lost: Fence[] = [];
  const cancels: Renewal['cancels'][number][] = [];
  const unwatched: string[] = [];
  for (const { runId, epoch } of fences) {
    const run = state.runs.get(runId);
    if (run?.status !== 'running' || run.epoch !== epoch || run.owner !== ownership.owner) {
      lost.push({ runId, epoch });
      continue;
    }
    run.leaseUntil = now.getTime() + ownership.leaseMs;
    if (run.cancel !== undefined) cancels.push({ runId, ...run.cancel });
    if (run.watched !== undefined && run.watched.end === undefined && run.watched.until < now.getTime())
      unwatched.push(runId);
  }
  return { lost, cancels, unwatched };
}

/** Expires approvals, takes over runs whose owner is gone, lists suspended runs that wait for nobody and queued ones. */
export function sweepRuns(state: MemoryState, ownership: Ownership, now: Date): SweepResult {
  expireOverdue(state.approvals.values(), now);
  const runs = [...state.runs.values()];
  const orphans = runs.filter((run) => run.status === 'running' && run.leaseUntil < now.getTime());
  for (const run of orphans) {
    run.epoch += 1;
    run.owner = ownership.owner;
    run.leaseUntil = now.getTime() + ownership.leaseMs;
    loseClaims(state, run.made.id, now);
  }
  const ready = runs.filter((run) => canGoOn(state, run, ownership.owner));
  const queued = runs.filter(({ status, leaseUntil }) => status === 'queued' && leaseUntil >= now.getTime());
  const overdue = runs.filter(({ status, leaseUntil }) => status === 'queued' && leaseUntil < now.getTime());
  const stranded = runs.filter((run) => isStranded(state, run, ownership, now));
  return {
    orphans: orphans.map(storedRun),
    ready: idsOf(ready),
    queued: idsOf(queued),
    overdue: idsOf(overdue),
    stranded: idsOf(stranded),
  };
}

const idsOf = (runs: readonly MemoryRun[]): readonly string[] => runs.map(({ made }) => made.id).sort();

// A local run can go on nowhere but where it lives.
function canGoOn(state: MemoryState, { status, made, owner }: MemoryRun, me: string): boolean {
  return status === 'suspended' && (!made.local || owner === me) && !waitsForSomebody(state, made.id);
}

// Where it lives it would have gone on by now.
function isStranded(state: MemoryState, run: MemoryRun, { owner, leaseMs }: Ownership, now: Date): boolean {
  const { status, made } = run;
  if (status !== 'suspended' || !made.local || run.owner === owner || waitsForSomebody(state, made.id)) return false;
  const answers = [
    ...approvalsOf(state, made.id).map(({ decidedAt }) => decidedAt),
    ...deferralsOf(state, made.id).map(({ answeredAt }) => answeredAt),
  ];
  return answers.every((at) => (at?.getTime() ?? 0) <= now.getTime() - leaseMs);
}
