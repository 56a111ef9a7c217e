import { wholeStart } from '../cut.js';

// JSON.stringify spells a control character or a lone surrogate with six bytes; nothing costs more per UTF-16 unit.
const MOST_BYTES_PER_UNIT = 6;

/** UTF-8 bytes of the text as a JSON string, without its quotes. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text), 'utf8') - 2;
}

/** The longest start of the text, in whole characters, that takes at most `max` bytes as a JSON string. */
export function fitJsonBytes(text: string, max: number): string {
  if (text.length * MOST_BYTES_PER_UNIT <= max) return text;
  // Every unit takes a byte at least, so no more than `max` of them are looked at, some twenty times at most.
  let fits = 0;
  let tooLong = Math.min(text.length, Math.max(0, max)) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (jsonBytes(wholeStart(text, middle)) <= max) fits = middle;
    else tooLong = middle;
  }
  return wholeStart(text, fits);
}
