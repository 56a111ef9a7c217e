import { inspect } from 'node:util';
import { GatehouseError } from '../contracts/errors/gatehouse.error.js';
import { oneLine } from '../values/one-line.js';

const LONGEST = 500;

/** One line for a person: our words, and of what the driver or the system said the code alone. Its text may quote values. */
export function problemOf(error: unknown, whole: boolean): string {
  if (whole) return inspect(error);
  const code = codeOf(error);
  const words = noTables(error, code) ?? ownWords(error) ?? wordsFor(code);
  return oneLine(code === undefined || words.includes(code) ? words : `${words} (${code})`, LONGEST);
}

// Ours: a GatehouseError, or an option that is no duration (which quotes the option alone).
function ownWords(error: unknown): string | undefined {
  if (error instanceof GatehouseError) return error.message;
  const message = messageOf(error);
  return message !== undefined && /^\w+ is .*, which is no duration\. /.test(message) ? message : undefined;
}

const NO_TABLES = ['42P01', '3F000'];

// Whatever could not be done, this is why.
function noTables(error: unknown, code: string | undefined): string | undefined {
  if (code === undefined || !NO_TABLES.includes(code)) return undefined;
  const schema = schemaIn(error);
  const where = schema === undefined ? 'this schema' : `the schema '${schema}'`;
  return `There are no Gatehouse tables in ${where}, or not all of them: run 'gatehouse migrate', or name another one with --schema`;
}

// A name alone, of `relation "gatehouse.audit_log" does not exist` or `schema "gatehouse" does not exist`.
function schemaIn(error: unknown): string | undefined {
  const found = /(?:relation "([a-z_][a-z0-9_]*)\.|schema "([a-z_][a-z0-9_]*)")/.exec(messageOf(error) ?? '');
  if (found !== null) return found[1] ?? found[2];
  return typeof error === 'object' && error !== null && 'cause' in error ? schemaIn(error.cause) : undefined;
}

const messageOf = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
    ? error.message
    : undefined;

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
  ERR_MODULE_NOT_FOUND: "A package is missing: install 'pg' and 'typeorm'",
};

function codeOf(error: unknown): string | undefined {
  // Not by class: what the system throws is an Error of its own realm.
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}
