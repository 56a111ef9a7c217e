import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import type { NewRun } from '../../contracts/ports/stored.run.js';
import { isUuid } from '../../values/ids.js';
import { visibleText } from '../../values/visible-text.js';

const LONGEST_NAME = 128;

/** A run as every store takes it. @throws InvalidQueryError where an id is none */
export function storableRun(run: NewRun): NewRun {
  return {
    ...run,
    id: storableId(run.id, 'runId'),
    threadId: storableName(run.threadId, 'threadId'),
    segment: storableName(run.segment, 'segment'),
    agent: visibleText(run.agent),
    ...visible(run, ['organizationId', 'ipAddress', 'instructions']),
  };
}

/** An id of ours: a uuid in lower case, so that it reads back as it was written. */
export function storableId(id: string, field: string): string {
  if (isUuid(id) && id === id.toLowerCase()) return id;
  throw new InvalidQueryError(field, 'must be a uuid in lower case');
}

/** A client's own name for something. */
export function storableName(name: string, field: string): string {
  if (name === '' || name.length > LONGEST_NAME)
    throw new InvalidQueryError(field, `must have 1 to ${LONGEST_NAME} characters`);
  return visibleText(name);
}

/** The given optional texts, where present, as every store takes them. */
export function visible<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const shown: Partial<Pick<T, K>> = {};
  for (const key of keys) {
    const text = from[key];
    if (typeof text === 'string') Object.assign(shown, { [key]: visibleText(text) });
  }
  return shown;
}
