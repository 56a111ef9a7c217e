import { InvalidQueryError } from '../contracts/errors/invalid-query.error.js';
import type { JsonValue } from '../contracts/json.js';
import type { Principal } from '../contracts/principal.js';

/** Whether this names somebody: what a program without types hands in may be anything. */
export const isSomebody = (user: unknown): user is Principal => {
  const id: unknown = typeof user === 'object' && user !== null ? Reflect.get(user, 'id') : undefined;
  return typeof id === 'string' && id.trim() !== '';
};

/**
 * The principal of a run, where one is given.
 *
 * @throws InvalidQueryError for one that names nobody: evidence and approvals would be nobody's
 */
export const givenPrincipal = (user: Principal | null | undefined): Principal | undefined => {
  if (user === undefined || user === null) return undefined;
  if (isSomebody(user)) return user;
  throw new InvalidQueryError('user.id', 'must be a text that names the principal; leave user out where there is none');
};

/**
 * A copy of a run's state as it is stored.
 *
 * @throws InvalidQueryError for what is no JSON: a cycle, a bigint, what is nested too deep or cannot be read
 */
export const storableState = (state: Readonly<Record<string, JsonValue>>): Record<string, JsonValue> => {
  try {
    return JSON.parse(JSON.stringify(state)) as Record<string, JsonValue>;
  } catch (cause) {
    const problem = 'must be plain JSON: nothing that contains itself, no bigint, nothing that cannot be read';
    throw new InvalidQueryError('state', problem, { cause });
  }
};
