import { ArgumentProblem, MAX_ARGUMENT_DEPTH, tooDeep } from './argument-limits.js';
import { pointer } from './json-pointer.js';

// In valid JSON these are all there is to see: a string, with the colon that makes it a key, and the structure around it.
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

interface Level {
  /** The keys seen so far; undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** Where in this level we are. */
  at: string | number;
}

/**
 * Finds in the text of a valid JSON document what parsing hides: nesting over the limit, and keys given twice,
 * however they are escaped. Needs no recursion, so depth costs no stack.
 *
 * @throws ArgumentProblem at the first find
 */
export function scanJsonText(text: string): void {
  const levels: Level[] = [];
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (string !== undefined) {
      if (colon !== undefined && level?.keys) enterMember(levels, level, level.keys, JSON.parse(string) as string);
    } else if (token === '{' || token === '[') {
      if (levels.length === MAX_ARGUMENT_DEPTH) throw tooDeep();
      levels.push(token === '{' ? { keys: new Set(), at: '' } : { keys: undefined, at: 0 });
    } else if (token === ',') {
      if (level && typeof level.at === 'number') level.at += 1;
    } else {
      levels.pop();
    }
  }
}

function enterMember(levels: readonly Level[], level: Level, keys: Set<string>, key: string): void {
  level.at = key;
  if (keys.has(key)) {
    throw new ArgumentProblem(`The key at ${pointer(levels.map(({ at }) => at))} appears twice. Give each key once.`);
  }
  keys.add(key);
}
