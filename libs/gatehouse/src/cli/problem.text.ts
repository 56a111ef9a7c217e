import { inspect } from 'node:util';
import { GatehouseError } from '../contracts/errors/gatehouse.error.js';
import { oneLine } from '../values/one-line.js';

const LONGEST = 500;

/** One line for a person: our words, and of what the driver or the system said the code alone. Its text may quote values. */
export function problemOf(error: unknown, whole: boolean): string {
  if (whole) return inspect(error);
  const code = codeOf(error);
  const words = error instanceof GatehouseError ? error.message : wordsFor(code);
  return oneLine(code === undefined || words.includes(code) ? words : `${words} (${code})`, LONGEST);
}

function wordsFor(code: string | undefined): string {
  const known = code === undefined ? undefined : WORDS[code];
  return known ?? 'It failed; --debug tells more';
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'No database answers at this URL',
  ENOTFOUND: 'No host has this name',
  ENOENT: 'There is no such file',
  EEXIST: 'The file is there already',
  EACCES: 'The file may not be read or written',
  '28P01': 'The database refuses this password',
  '3D000': 'There is no such database',
  '42501': 'The role of this URL may not do that',
  '42P01': 'The schema has not these tables: run `gatehouse migrate`, or name another one with --schema',
  ERR_MODULE_NOT_FOUND: "A package is missing: install 'pg' and 'typeorm'",
};

function codeOf(error: unknown): string | undefined {
  // Not by class: what the system throws is an Error of its own realm.
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}
