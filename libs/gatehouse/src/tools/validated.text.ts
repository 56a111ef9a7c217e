import type { JsonValue } from '../contracts/json.js';
import { canonicalText } from '../values/canonical-json.js';
import { pointer } from '../values/json-pointer.js';

/**
 * The RFC 8785 text of validated arguments, whatever a schema or pipe made of them: what people are shown, and what an approval is bound to.
 * Maps are lists of pairs, sets are lists, bigints are digits; `toJSON` counts.
 *
 * @throws TypeError for what has no text of its own, such as a function or a cycle: nobody could approve it
 */
export const validatedText = (value: unknown): string => canonicalText(plain(value, [], new Set()) ?? null);

type Path = readonly (string | number)[];

function plain(value: unknown, path: Path, open: Set<object>): JsonValue | undefined {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') throw withoutText(path, `a ${typeof value}`);
  if (open.has(value)) throw withoutText(path, 'a reference back to what contains it');
  open.add(value);
  const text = container(value, path, open);
  open.delete(value);
  return text;
}

function container(value: object, path: Path, open: Set<object>): JsonValue | undefined {
  const list = (items: Iterable<unknown>): JsonValue =>
    Array.from(items, (item, index) => plain(item, [...path, index], open) ?? null);
  if (Array.isArray(value)) return list(value);
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return plain(Reflect.apply(value.toJSON, value, []), path, open);
  if (value instanceof Map || value instanceof Set) return list(value);
  if (HIDDEN.some((type) => value instanceof type)) throw withoutText(path, `a ${value.constructor.name}`);
  const members = Object.entries(value).flatMap(([key, member]): [string, JsonValue][] => {
    const text = plain(member, [...path, key], open);
    return text === undefined ? [] : [[key, text]];
  });
  return Object.fromEntries(members);
}

// What they hold is not in their properties: two different ones would read alike.
const HIDDEN = [Promise, RegExp, WeakMap, WeakSet, ArrayBuffer, Error, ReadableStream, Blob] as const;

const withoutText = (path: Path, what: string): TypeError =>
  new TypeError(
    `Validated arguments hold ${what} at ${pointer(path)}. Let the schema make plain values, and convert inside the tool.`,
  );
