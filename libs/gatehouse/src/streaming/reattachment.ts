import { EventsExpiredError } from '../contracts/errors/events-expired.error.js';
import type { RunReader } from '../contracts/ports/run.reader.js';
import { endsRun, endsSegment, type RunEvent } from '../contracts/run.events.js';
import { unknownEventId } from './http/last-event-id.js';
import { NothingActive } from './http/nothing.active.js';
import type { FoundRun } from './run.lookup.js';
import type { StreamRequest } from './run.event.source.js';

/** Where a client that attaches again goes on. */
export type Position = Pick<StreamRequest, 'from' | 'after' | 'resting' | 'until'>;

/**
 * What a client is sent that has everything up to `last`. Throws a 400 problem for an event that the run does not have, `EventsExpiredError` where events that
 * it would need are gone, and `NothingActive` where it has everything: a browser's `EventSource` would ask for ever.
 */
export async function positionIn(reader: RunReader, { run, segment }: FoundRun, last = 0): Promise<Position> {
  const until = segment === undefined ? 'run' : 'segment';
  const from = segment === undefined ? 0 : segment.firstSeq - 1;
  if (last > run.lastSeq)
    throw unknownEventId(`This run has no event ${last}; its last one is ${run.lastSeq}. Attach without an id.`);
  if (segment?.nextSeq !== undefined && last >= segment.nextSeq - 1) throw new NothingActive();
  const after = Math.max(from, last);
  if (run.eventsExpiredAt !== undefined) {
    if (after < run.lastSeq) throw new EventsExpiredError(run.id, after);
    throw new NothingActive();
  }
  // What comes before a segment says nothing of it: who has only that has yet to hear all.
  const heard = last > from ? await eventAt(reader, run.id, last) : undefined;
  if (heard === undefined) return { from, after, until };
  if (until === 'run' ? endsRun(heard) : endsSegment(heard)) throw new NothingActive();
  return { from, after, until, resting: endsSegment(heard) };
}

async function eventAt(reader: RunReader, runId: string, seq: number): Promise<RunEvent | undefined> {
  const { frames } = await reader.frames(runId, seq - 1, 1);
  return frames[0]?.event;
}
