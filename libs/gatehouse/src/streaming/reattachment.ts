import { EventsExpiredError } from '../contracts/errors/events-expired.error.js';
import type { RunReader } from '../contracts/ports/run.reader.js';
import { endsRun, endsSegment } from '../contracts/run.events.js';
import { unknownEventId, type LastEvent } from './http/last-event-id.js';
import { NothingActive } from './http/nothing.active.js';
import type { FoundRun } from './run.lookup.js';
import type { StreamRequest } from './run.event.source.js';

/** Where a client that attaches again goes on. */
export type Position = Pick<StreamRequest, 'from' | 'after' | 'parts' | 'until'>;

/**
 * What a client is sent that has everything up to `last`. Throws a 400 problem for an event that the run does not have, `EventsExpiredError` where events that
 * it would need are gone, and `NothingActive` where it has everything: a browser's `EventSource` would ask for ever.
 */
export async function positionIn(reader: RunReader, found: FoundRun, last?: LastEvent): Promise<Position> {
  const { run, firstSeq } = found;
  const until = firstSeq === undefined ? 'run' : 'segment';
  const from = firstSeq === undefined ? 0 : firstSeq - 1;
  const { seq, parts } = last ?? { seq: 0, parts: 0 };
  if (seq > run.lastSeq)
    throw unknownEventId(`This run has no event ${seq}; its last one is ${run.lastSeq}. Attach without an id.`);
  const after = Math.max(from, seq);
  if (run.eventsExpiredAt !== undefined) {
    if (after < run.lastSeq) throw new EventsExpiredError(run.id, after);
    throw new NothingActive();
  }
  if (after === seq && (await isLast(reader, run.id, seq, until))) throw new NothingActive();
  return { from, after, until, ...(after === seq ? { parts } : {}) };
}

async function isLast(reader: RunReader, runId: string, seq: number, until: 'run' | 'segment'): Promise<boolean> {
  if (seq === 0) return false;
  const [frame] = (await reader.frames(runId, seq - 1, 1)).frames;
  if (frame === undefined) return false;
  return until === 'run' ? endsRun(frame.event) : endsSegment(frame.event);
}
