import type { Watching, WatchRelease } from '../../contracts/ports/run.store.js';
import type { MemoryRun, MemoryState } from './memory.state.js';

/** Notes that somebody watches these runs under way; never shortens what is noted. */
export function watchRuns(
  state: MemoryState,
  runIds: readonly string[],
  forMs: number,
  now: Date,
  only?: 'noted',
): readonly string[] {
  const soon = now.getTime() + forMs;
  const runs = underWay(state, runIds).filter(({ watched }) => only === undefined || watched !== undefined);
  for (const run of runs)
    run.watched = { until: run.watched?.end === undefined ? later(run.watched?.until, soon) : soon };
  return runs.map(({ made }) => made.id);
}

/** Notes how somebody ended who watched these runs; others that watch have so long to say so again. */
export function unwatchRuns(
  state: MemoryState,
  runIds: readonly string[],
  release: WatchRelease,
  forMs: number,
  now: Date,
): void {
  const soon = now.getTime() + forMs;
  for (const run of underWay(state, runIds)) {
    const { until = soon, end } = run.watched ?? {};
    if (release === 'left') run.watched = { until: end === undefined ? Math.min(until, soon) : soon };
    else if (run.watched === undefined) continue;
    // A silence that has come already is somebody else's; so is an end.
    else if (release === 'cut' || (until >= now.getTime() && end === undefined))
      run.watched = { until: soon, end: release };
  }
}

/** What is known of who watches. */
export function watching(state: MemoryState, runId: string, now: Date): Watching | undefined {
  const watched = state.runs.get(runId)?.watched;
  if (watched === undefined) return undefined;
  const { until, end } = watched;
  const note = `${until} ${end ?? 'watched'}`;
  return { note, forMs: Math.max(0, until - now.getTime()), ...(end === undefined ? {} : { ended: end }) };
}

const later = (until: number | undefined, soon: number): number => Math.max(until ?? soon, soon);

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

const underWay = (state: MemoryState, runIds: readonly string[]): readonly MemoryRun[] =>
  runIds.flatMap((id) => state.runs.get(id) ?? []).filter(({ status }) => status === 'running' || status === 'queued');
