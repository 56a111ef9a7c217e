import { cut } from './cut.js';
import { sanitizeText } from './sanitizer.js';

// Controls, bidi overrides, zero-width and other characters that show as nothing, line and paragraph separators, the blank braille cell.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The text on one line of at most `max` UTF-16 units: characters that could hide or reorder something are written as `\u{…}`. */
export function oneLine(text: string, max: number): string {
  const escaped = sanitizeText(text).replace(UNSEEN, (unseen) => `\\u{${(unseen.codePointAt(0) ?? 0).toString(16)}}`);
  return cut(escaped, max);
}
