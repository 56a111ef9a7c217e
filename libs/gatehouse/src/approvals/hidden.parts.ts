import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../contracts/json.js';
import { pointer } from '../values/json-pointer.js';
import { isList, isMembers, own, shownMembers } from './shown.members.js';

/** One value of an approval: as it was validated, as it is shown, and as it was received. */
export interface Seen {
  readonly exact: JsonValue | undefined;
  readonly shown: JsonValue | undefined;
  readonly received: JsonValue | undefined;
}

/** A hidden value that was put back. */
export interface PutBack {
  readonly path: Path;
  readonly exact: JsonValue;
}

type Path = readonly (string | number)[];

/**
 * Puts the exact values back into an edited one, wherever it holds what was shown of something hidden in that very place. What stands for a hidden
 * value and stayed anywhere else is listed in `left`: nobody can tell what was meant. In a list whose items were added, removed or changed no item
 * has a place of its own.
 */
export class HiddenParts {
  /** JSON pointers. */
  readonly left: string[] = [];
  readonly putBack: PutBack[] = [];

  /** @param placeholder what is shown for a hidden value */
  constructor(private readonly placeholder: string) {}

  restored(edited: JsonValue, seen: Seen, path: Path): JsonValue {
    const { exact, shown, received } = seen;
    if (exact === undefined || shown === undefined) return this.checked(edited, path);
    if (isDeepStrictEqual(edited, exact)) return edited;
    if (isDeepStrictEqual(edited, shown)) return this.kept(seen, exact, path);
    if (isMembers(edited) && isMembers(exact) && isMembers(shown)) {
      const named = new Map(shownMembers(exact, shown).map((member) => [member.name ?? member.key, member]));
      const entries = Object.entries(edited).map(([name, value]): [string, JsonValue] => {
        const member = named.get(name);
        if (member === undefined) return [this.checkedName(name, path), this.checked(value, [...path, name])];
        const before = isMembers(received) ? own(received, member.key) : undefined;
        const { key } = member;
        return [
          key,
          this.restored(value, { exact: member.exact, shown: member.shown, received: before }, [...path, key]),
        ];
      });
      return Object.fromEntries(entries);
    }
    if (isList(edited) && isList(exact) && isList(shown) && edited.length === exact.length) {
      const before = isList(received) && received.length === exact.length ? received : [];
      return edited.map((item, at) => {
        const [one, place] = [exact[at] as JsonValue, [...path, at]];
        if (isDeepStrictEqual(item, one)) return item;
        return isDeepStrictEqual(item, shown[at])
          ? this.kept({ exact: one, shown: shown[at], received: before[at] }, one, place)
          : this.checked(item, place);
      });
    }
    return this.checked(edited, path);
  }

  private kept({ received }: Seen, exact: JsonValue, path: Path): JsonValue {
    this.putBack.push({ path, exact });
    return received ?? exact;
  }

  private checked(value: JsonValue, path: Path): JsonValue {
    if (typeof value === 'string') this.check(value, path);
    else if (isList(value)) value.forEach((item, at) => this.checked(item, [...path, at]));
    else if (isMembers(value))
      Object.entries(value).forEach(([name, member]) => this.checked(member, [...path, this.checkedName(name, path)]));
    return value;
  }

  private checkedName(name: string, path: Path): string {
    this.check(name, [...path, name]);
    return name;
  }

  private check(text: string, path: Path): void {
    if (this.placeholder !== '' && text.includes(this.placeholder)) this.left.push(pointer(path));
  }
}

/** What was put back and is not, any more, what it was once the whole was validated again: JSON pointers. */
export const notKept = (putBack: readonly PutBack[], validated: JsonValue): readonly string[] =>
  putBack.filter(({ path, exact }) => !isDeepStrictEqual(at(validated, path), exact)).map(({ path }) => pointer(path));

const at = (value: JsonValue | undefined, path: Path): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((from, key) => {
    if (isList(from)) return from[Number(key)];
    return isMembers(from) ? own(from, String(key)) : undefined;
  }, value);
