import { badField } from './problem.error.js';

/** The last frame a client has: the header, which a browser keeps current, before the query parameter; 0 for none. */
export function lastEventId(header: string | undefined, parameter: unknown): number {
  const id = header === undefined || header === '' ? (parameter ?? '0') : header;
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id);
  throw badField('The last event id', 'must be an id of this stream');
}
