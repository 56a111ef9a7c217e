import type { ClientContent } from '../../contracts/client.content.js';
import type { JsonObject } from '../../contracts/json.js';
import { isObject, optionalList } from '../http/fields.js';
import { badField } from '../http/problem.error.js';
import type { Tally } from '../entry/tally.js';

/** What a client sent beside its messages, of the kinds that the host lets through (`streaming.accept`). */
export interface ClientContext {
  /** Becomes the run's working state. */
  readonly state?: JsonObject;
  /** Added to the run's instructions. */
  readonly context?: string;
}

/** Reads what is accepted, and counts the rest as dropped. Throws a 400 problem that names the field. */
export function clientContext(input: JsonObject, accept: readonly ClientContent[], dropped: Tally): ClientContext {
  const { state, forwardedProps } = input;
  const context = optionalList(input['context'], 'context');
  const taken = { state: accept.includes('state'), context: accept.includes('context') };
  // A tool of the client would run outside, past every inspector: none is taken.
  dropped.add('tools', optionalList(input['tools'], 'tools').length);
  dropped.add('forwardedProps', present(forwardedProps));
  if (!taken.state) dropped.add('state', present(state));
  if (!taken.context) dropped.add('context', context.length);
  return Object.freeze({
    ...(taken.state && present(state) > 0 ? { state: stateOf(state) } : {}),
    ...(taken.context && context.length > 0 ? { context: context.map(contextLine).join('\n') } : {}),
  });
}

function stateOf(state: unknown): JsonObject {
  if (isObject(state)) return state;
  throw badField('state', 'must be an object');
}

function contextLine(entry: unknown, at: number): string {
  const { description, value } = isObject(entry) ? entry : {};
  if (typeof description === 'string' && typeof value === 'string') return `${description}: ${value}`;
  throw badField(`context[${at}]`, 'must have a description and a value, both text');
}

// An empty object is what clients send where nothing is meant.
const present = (value: unknown): number =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0) ? 0 : 1;
