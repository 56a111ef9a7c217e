import { ProblemError } from './problem.error.js';

/** An id of ours: the `seq` of a frame and, where the next frame makes several events, how many of them. */
const EVENT_ID = /^(\d{1,15})(?:\.(\d{1,9}))?$/;

/** What a client has: everything up to frame `seq`, and so many events of the next one. */
export interface LastEvent {
  readonly seq: number;
  readonly parts: number;
}

/** The last event a client has: the header, which a browser keeps current, before the query parameter; nothing where neither is given. Throws a 400 problem. */
export function lastEventId(header: string | undefined, parameter: unknown): LastEvent | undefined {
  const id = isGiven(header) ? header : parameter;
  if (!isGiven(id)) return undefined;
  const [, seq, parts = '0'] = (typeof id === 'string' ? EVENT_ID.exec(id) : null) ?? [];
  if (seq !== undefined) return { seq: Number(seq), parts: Number(parts) };
  throw unknownEventId('The last event id is none of ours: send the id of an event of this run, or none.');
}

export const unknownEventId = (detail: string): ProblemError => new ProblemError(400, 'unknown_event_id', detail);

const isGiven = (value: unknown): boolean => value !== undefined && value !== '';
