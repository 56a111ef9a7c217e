import type { JsonValue } from '../contracts/json.js';

/** A copy of a JSON value, frozen at every level; the original stays as it is. */
export function frozenCopy<T extends JsonValue>(value: T): T {
  return copy(value) as T;
}

/** A frozen copy of the outer array or object only; what it holds is shared and stays as it is. */
export function frozenContainer<T>(value: T): Readonly<T> {
  if (typeof value !== 'object' || value === null) return value;
  return Object.freeze(Array.isArray(value) ? ([...value] as T) : { ...value });
}

function copy(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return Object.freeze(value.map(copy));
  // fromEntries defines members, so an own `__proto__` key stays a key.
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)])));
}

// Array.isArray does not narrow readonly arrays.
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
