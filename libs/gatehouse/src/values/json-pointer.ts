import { cut } from './cut.js';
import { visibleText } from './visible-text.js';

const LONGEST = 200;

/** Where in a JSON value: an RFC 6901 pointer fit for a message (bounded, no NUL), or `the top level`. */
export function pointer(path: readonly (string | number)[]): string {
  if (path.length === 0) return 'the top level';
  return cut(visibleText(path.map((key) => `/${escaped(String(key).slice(0, LONGEST))}`).join('')), LONGEST);
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
