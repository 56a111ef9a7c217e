import type { JsonValue } from '../contracts/json.js';

export type Members = Readonly<Record<string, JsonValue>>;

/** A member as it is, and as it is shown: under which name, and what; neither where it is not shown at all. */
export interface ShownMember {
  readonly key: string;
  readonly exact: JsonValue;
  readonly name?: string;
  readonly shown?: JsonValue;
}

export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

export const isMembers = (value: JsonValue | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const own = (members: Members, key: string): JsonValue | undefined =>
  Object.hasOwn(members, key) ? members[key] : undefined;

/** The members of a value beside what is shown of each. A key may be shown under another name: what is redacted in it, or cannot be stored. */
export function shownMembers(exact: Members, shown: Members): readonly ShownMember[] {
  const keys = Object.keys(exact);
  const names = keys.every((key) => Object.hasOwn(shown, key)) ? undefined : renamed(keys, Object.keys(shown));
  return keys.map((key): ShownMember => {
    const name = names === undefined ? key : names.get(key);
    const member = { key, exact: exact[key] as JsonValue };
    if (name === undefined || !Object.hasOwn(shown, name)) return member;
    return { ...member, name, shown: shown[name] };
  });
}

// They are shown in their order, but for keys that are whole numbers: those stand in front, wherever they were added.
function renamed(keys: readonly string[], names: readonly string[]): ReadonlyMap<string, string> {
  const alike = keys.filter((key) => names.includes(key));
  // Some are missing: nobody can tell which.
  if (keys.length !== names.length) return new Map(alike.map((key) => [key, key]));
  const numbered = alike.filter((key) => WHOLE_NUMBER.test(key));
  const left = names.filter((name) => !numbered.includes(name));
  const others = keys.filter((key) => !numbered.includes(key));
  return new Map([
    ...numbered.map((key): [string, string] => [key, key]),
    ...others.map((key, at): [string, string] => [key, left[at] ?? key]),
  ]);
}

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;
