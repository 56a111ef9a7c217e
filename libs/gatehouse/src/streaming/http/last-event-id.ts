import { ProblemError } from './problem.error.js';

/** An id of ours: the `seq` of a frame and, behind a point, how far a stream has told the next one, which is told whole again. */
const EVENT_ID = /^(\d{1,15})(?:\.\d{1,9})?$/;

/**
 * Up to which frame a client has everything, by the header, which a browser keeps current, before the query parameter; nothing where neither is given.
 * Throws a 400 problem.
 */
export function lastEventId(header: string | undefined, parameter: unknown): number | undefined {
  const id = isGiven(header) ? header : parameter;
  if (!isGiven(id)) return undefined;
  const seq = typeof id === 'string' ? EVENT_ID.exec(id)?.[1] : undefined;
  if (seq !== undefined) return Number(seq);
  throw unknownEventId('The last event id is none of ours: send the id of an event of this run, or none.');
}

export const unknownEventId = (detail: string): ProblemError => new ProblemError(400, 'unknown_event_id', detail);

const isGiven = (value: unknown): boolean => value !== undefined && value !== '';
