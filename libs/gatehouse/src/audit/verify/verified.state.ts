import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';

/** Where a verification ended, so that the next one goes on from there. Keep it where the database's administrators cannot write. */
export interface VerifiedState {
  readonly format: 'gatehouse-verified@v1';
  readonly size: number;
  /** The right edge of the tree, base64. */
  readonly frontier: string;
  /** The number of the last batch of each writer. */
  readonly writers: Readonly<Record<string, number>>;
}

/** Reads a kept state. @throws InvalidQueryError for anything else */
export function verifiedState(text: string): VerifiedState {
  const parsed = parse(text);
  if (
    isObject(parsed) &&
    parsed['format'] === 'gatehouse-verified@v1' &&
    Number.isSafeInteger(parsed['size']) &&
    typeof parsed['frontier'] === 'string' &&
    isObject(parsed['writers'])
  )
    return parsed as unknown as VerifiedState;
  throw new InvalidQueryError('The state', 'is none of an earlier verification: verify once without it');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
