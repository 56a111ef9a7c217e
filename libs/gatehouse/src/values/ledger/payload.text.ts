import { ERASED, type LedgerPayload, type StoredEntry } from '../../contracts/ledger.js';
import { sanitizeText } from '../sanitizer.js';

/** The members that are there; nothing where none is. */
export function payloadOf(texts: {
  readonly [K in keyof LedgerPayload]: string | null | undefined;
}): LedgerPayload | null {
  const given = Object.entries(texts).filter(([, text]) => text !== null && text !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** A free text as it is kept. */
export const freeText = (text: string | null): string | null => (text === null ? null : sanitizeText(text));

/** A text of a payload as it reads now. */
export function textOf(entry: StoredEntry, part: keyof LedgerPayload): string | null {
  return entry.erased ? ERASED : (entry.payload?.[part] ?? null);
}

const CLASS = /^[\w$]{1,128}(?=:|$)/;

/** The class in `Class: message`. */
export const errorType = (error: string | null): string | null =>
  error === null ? null : (CLASS.exec(error)?.[0] ?? 'Error');
