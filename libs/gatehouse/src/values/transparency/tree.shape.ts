/** A complete subtree: the `index`-th of those over `2 ** level` leaves each, counted from the left. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The leaves from `begin` up to, not including, `end`, when one node of a tree stands over exactly them. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** Where RFC 6962 splits: the largest power of two smaller than `width`, which is at least 2. */
export function splitOf(width: number): number {
  // Multiplied rather than shifted: shifts end at 31 bits.
  let split = 1;
  while (split * 2 < width) split *= 2;
  return split;
}

/** The complete subtrees that cover a span, largest first. In a span that ends before the tree does there is one. */
export function subtreesOf({ begin, end }: Span): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = begin; at < end;) {
    const level = levelUnder(end - at);
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}

/** Whether the tree has this leaf, and both can be counted exactly. */
export const isLeafOf = (index: number, size: number): boolean => isSize(index) && isSize(size) && index < size;

/** Whether this is a number of leaves that can be counted exactly. */
export const isSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0;

function levelUnder(width: number): number {
  let level = 0;
  while (2 ** (level + 1) <= width) level += 1;
  return level;
}
