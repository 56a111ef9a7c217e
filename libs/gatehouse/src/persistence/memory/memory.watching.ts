import type { WatchEnd, Watching, WatchRelease } from '../../contracts/ports/run.store.js';
import { MARK_HOURS } from '../watch.marks.js';
import type { MemoryRun, MemoryState } from './memory.state.js';

const HOUR = 3_600_000;

/** Notes that somebody watches these runs under way; never shortens what is noted. */
export function watchRuns(
  state: MemoryState,
  runIds: readonly string[],
  forMs: number,
  now: Date,
  only?: 'noted',
): readonly string[] {
  const soon = now.getTime() + forMs;
  const runs = underWay(state, runIds).filter(({ watchedUntil }) => only === undefined || watchedUntil !== undefined);
  for (const run of runs) {
    const marked = endOf(run.watchedUntil, now) !== undefined;
    run.watchedUntil = marked ? soon : Math.max(run.watchedUntil ?? 0, soon);
  }
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
    const until = run.watchedUntil;
    if (release === 'left') run.watchedUntil = Math.min(until ?? soon, soon);
    else if (until === undefined) continue;
    // A silence that has come already is somebody else's; so is a mark.
    else if (release === 'cut' || (until >= now.getTime() && endOf(until, now) === undefined))
      run.watchedUntil = soon + MARK_HOURS[release] * HOUR;
  }
}

/** What is known of who watches. */
export function watching(state: MemoryState, runId: string, now: Date): Watching | undefined {
  const note = state.runs.get(runId)?.watchedUntil;
  if (note === undefined) return undefined;
  const ended = endOf(note, now);
  const until = ended === undefined ? note : note - MARK_HOURS[ended] * HOUR;
  return { note, forMs: Math.max(0, until - now.getTime()), ...(ended === undefined ? {} : { ended }) };
}

/** Marked instants lie centuries behind unmarked ones. */
function endOf(until: number | undefined, now: Date): WatchEnd | undefined {
  const hours = ((until ?? 0) - now.getTime()) / HOUR;
  if (hours > (MARK_HOURS.gone + MARK_HOURS.cut) / 2) return 'cut';
  return hours > MARK_HOURS.gone / 2 ? 'gone' : undefined;
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

const underWay = (state: MemoryState, runIds: readonly string[]): readonly MemoryRun[] =>
  runIds.flatMap((id) => state.runs.get(id) ?? []).filter(({ status }) => status === 'running' || status === 'queued');
