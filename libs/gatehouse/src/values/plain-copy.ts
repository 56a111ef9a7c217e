import type { JsonValue } from '../contracts/json.js';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Whether a live value still says, member by member, what this JSON value says. Quick and only ever certain about a yes: whatever has a way of its
 * own to become JSON (`toJSON`, maps, dates) is a no, and deserves a closer look.
 */
export const isPlainCopy = (live: unknown, json: JsonValue): boolean => {
  if (!isObject(live)) return live === json;
  if (!isObject(json)) return false;
  if (Array.isArray(live)) return Array.isArray(json) && isSameList(live, json as readonly JsonValue[]);
  if (Array.isArray(json) || Object.prototype.toString.call(live) !== '[object Object]' || 'toJSON' in live)
    return false;
  return isSameObject(live, json as { readonly [key: string]: JsonValue });
};

const isSameList = (live: readonly unknown[], json: readonly JsonValue[]): boolean =>
  live.length === json.length && json.every((member, index) => isPlainCopy(live[index], member));

const isSameObject = (live: object, json: { readonly [key: string]: JsonValue }): boolean => {
  const keys = Object.keys(live);
  // An undefined member says nothing in JSON; a look at its keys alone cannot tell.
  if (keys.length !== Object.keys(json).length) return false;
  return keys.every((key) => Object.hasOwn(json, key) && isPlainCopy(Reflect.get(live, key), json[key] as JsonValue));
};
