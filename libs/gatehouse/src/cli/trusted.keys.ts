import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ed25519VerifierKey } from '../values/transparency/ed25519.keys.js';
import { formatVerifierKey } from '../values/transparency/verifier.key.js';

/** Options of every command that believes a key. */
export interface KeyOptions {
  readonly key?: readonly string[];
  readonly origin?: string;
}

/** Adds `--key` and `--origin`. */
export const withKeys = (command: Command): Command =>
  command
    .option(
      '--key <key>',
      'the verifier key you trust (name+id+key), a PEM, or a file with one; may be repeated',
      added,
    )
    .option('--origin <name>', "the log's name, where it is not that of the first key");

/** The keys as verifier keys. @throws MalformedEvidenceError for what is none; the system's error for a file that cannot be read */
export const readKeys = ({ key = [], origin }: KeyOptions): Promise<readonly string[]> =>
  Promise.all(
    key.map(async (given) => {
      const text = isKey(given) ? given : await readFile(given, 'utf8');
      return formatVerifierKey(ed25519VerifierKey(text, text.includes('+') && !isPem(text) ? undefined : origin));
    }),
  );

/** For options that may be repeated. */
export const added = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const isPem = (text: string): boolean => text.startsWith('-----BEGIN ');
const isKey = (text: string): boolean => isPem(text) || /^[^+]+\+[0-9a-f]{8}\+/.test(text);
