import type { EvidenceKind } from '../../contracts/errors/malformed-evidence.error.js';
import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { oneLine } from '../one-line.js';
import { isWellFormed } from '../visible-text.js';

// Far above what any note or proof needs; a stranger's file is not worth more work.
const MAX_LENGTH = 1_000_000;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** The text of a note or proof: UTF-8, no ASCII control characters but newline, a newline at its end. @throws MalformedEvidenceError */
export function strictText(input: string | Uint8Array, kind: EvidenceKind): string {
  if (input.length > MAX_LENGTH) throw new MalformedEvidenceError(kind, `it is longer than ${MAX_LENGTH}`);
  const text = typeof input === 'string' ? input : decoded(input, kind);
  if (!isWellFormed(text)) throw new MalformedEvidenceError(kind, 'it is not UTF-8');
  if (CONTROL.test(text)) throw new MalformedEvidenceError(kind, 'it has a control character other than newline');
  if (!text.endsWith('\n')) throw new MalformedEvidenceError(kind, 'it does not end with a newline');
  return text;
}

/** The bytes of standard base64 as an encoder writes it: with padding, no spare bits, nothing else. @throws MalformedEvidenceError */
export function strictBase64(text: string, kind: EvidenceKind, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text) return bytes;
  throw new MalformedEvidenceError(kind, `${what} is no canonical base64: ${shown(text)}`);
}

/** A whole number in decimal, without sign or leading zeros. @throws MalformedEvidenceError */
export function strictDecimal(text: string, kind: EvidenceKind, what: string): number {
  const value = /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new MalformedEvidenceError(kind, `${what} is no decimal below 2^53: ${shown(text)}`);
}

function decoded(bytes: Uint8Array, kind: EvidenceKind): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new MalformedEvidenceError(kind, 'it is not UTF-8');
  }
}

/** A stranger's text as it may stand in a message. */
export const shown = (text: string): string => `'${oneLine(text, 200)}'`;
