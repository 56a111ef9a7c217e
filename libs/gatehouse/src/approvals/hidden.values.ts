import type { JsonValue } from '../contracts/json.js';
import { pointer } from '../values/json-pointer.js';
import { isList, isMembers, shownMembers } from './shown.members.js';

/** A place where what is shown is not what would run. */
export interface HiddenValue {
  /** RFC 6901, by the names that are shown; the empty text is the whole value. */
  readonly pointer: string;
  /** It was too large to be shown. Otherwise it was redacted, which somebody decided. */
  readonly cut: boolean;
}

// Enough to see what is meant; past it the whole value counts as hidden.
const MOST = 200;
const CUT_MARK = /\[truncated: [^\]]*\]$|^\[unreadable\]$/;

/** Every place where the shown value differs from the exact one. */
export function hiddenValues(exact: JsonValue, shown: JsonValue | undefined): readonly HiddenValue[] {
  const found: HiddenValue[] = [];
  compare(exact, shown, [], found);
  if (found.length <= MOST) return found;
  return [...found.slice(0, MOST), { pointer: '', cut: found.some(({ cut }) => cut) }];
}

/** The JSON pointers of hidden values, as an approval lists them. */
export const pointersOf = (hidden: readonly HiddenValue[]): readonly string[] =>
  Object.freeze([...new Set(hidden.map((one) => one.pointer))]);

function compare(
  exact: JsonValue,
  shown: JsonValue | undefined,
  path: readonly (string | number)[],
  found: HiddenValue[],
): void {
  if (found.length > MOST || exact === shown) return;
  if (isList(exact) && isList(shown)) {
    return exact.forEach((item, index) => compare(item, shown[index], [...path, index], found));
  }
  if (isMembers(exact) && isMembers(shown)) {
    return shownMembers(exact, shown).forEach(({ key, name, exact: member, shown: visible }) => {
      const place = [...path, name ?? key];
      // What is hidden of it is a part of its name.
      if (name !== undefined && name !== key) found.push(Object.freeze({ pointer: pointer(place), cut: false }));
      compare(member, visible, place, found);
    });
  }
  const cut = shown === undefined || (typeof shown === 'string' && CUT_MARK.test(shown));
  found.push(Object.freeze({ pointer: path.length === 0 ? '' : pointer(path), cut }));
}
