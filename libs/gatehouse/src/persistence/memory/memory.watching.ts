import type { MemoryRun, MemoryState } from './memory.state.js';

/** Notes that somebody watches these running runs; never shortens what is noted. */
export function watchRuns(state: MemoryState, runIds: readonly string[], forMs: number, now: Date): void {
  for (const run of runsOf(state, runIds)) {
    if (run.status === 'running' || run.status === 'queued')
      run.watchedUntil = Math.max(run.watchedUntil ?? 0, now.getTime() + forMs);
  }
}

/** Forgets who watched. */
export function unwatchRuns(state: MemoryState, runIds: readonly string[]): void {
  for (const run of runsOf(state, runIds)) run.watchedUntil = undefined;
}

/** For how many milliseconds more somebody counts as watching. */
export function watchedFor(state: MemoryState, runId: string, now: Date): number {
  return Math.max(0, (state.runs.get(runId)?.watchedUntil ?? 0) - now.getTime());
}

/** Deletes the events of a batch of runs that ended long enough ago, oldest first. */
export function expireEvents(state: MemoryState, keptMs: number, atMost: number, now: Date): number {
  const over = [...state.runs.values()]
    .filter((run) => run.eventsExpiredAt === undefined && endedBefore(run, now.getTime() - keptMs))
    .sort((a, b) => (a.finishedAt?.getTime() ?? 0) - (b.finishedAt?.getTime() ?? 0))
    .slice(0, atMost);
  for (const run of over) {
    run.eventsExpiredAt = now;
    state.frames.delete(run.made.id);
  }
  return over.length;
}

const endedBefore = ({ finishedAt }: MemoryRun, time: number): boolean =>
  finishedAt !== undefined && finishedAt.getTime() < time;

const runsOf = (state: MemoryState, runIds: readonly string[]): readonly MemoryRun[] =>
  runIds.flatMap((id) => state.runs.get(id) ?? []);
