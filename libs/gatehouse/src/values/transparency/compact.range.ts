import { emptyRoot, nodeHash } from './merkle.tree.js';
import { asHash, HASH_SIZE } from './sha256.js';
import type { StoredHashes, StoredNode } from './tlog.tiles.js';
import { spanHashes, TILE_HEIGHT } from './tlog.tiles.js';
import { isSize, subtreesOf } from './tree.shape.js';

/** The right edge of a tree: all one needs to append to it and to know its root. At most 53 hashes. */
export interface CompactRange {
  readonly size: number;
  /** The hashes of the complete subtrees over all leaves, largest first. */
  readonly frontier: readonly Uint8Array[];
}

/** A range after leaves were appended. */
export interface Growth {
  readonly range: CompactRange;
  /** Subtrees that became complete on levels a store keeps (8, 16, 24, …), in order: see `StoredHashes`. */
  readonly completed: readonly StoredNode[];
}

/** The tree without leaves. */
export const EMPTY_RANGE: CompactRange = Object.freeze({ size: 0, frontier: Object.freeze([]) });

/** The range with these leaves at its right. The old range stays as it is: keep it until what follows from the new one is committed. */
export function appendTo(range: CompactRange, leafHashes: readonly Uint8Array[]): Growth {
  const frontier = [...range.frontier];
  const completed: StoredNode[] = [];
  let size = range.size;
  for (const leaf of leafHashes) {
    push(frontier, completed, asHash(leaf, `Leaf ${size}`), size);
    size += 1;
  }
  return Object.freeze({ range: frozen(size, frontier), completed: Object.freeze(completed) });
}

/** The root of the tree. */
export function rootOfRange({ frontier }: CompactRange): Buffer {
  const [last, ...others] = frontier.toReversed();
  if (last === undefined) return emptyRoot();
  return others.reduce<Buffer>((right, left) => nodeHash(left, right), Buffer.from(last));
}

/** The frontier as bytes, 32 a hash, to be stored with the size. */
export const frontierBytes = ({ frontier }: CompactRange): Buffer => Buffer.concat(frontier);

/**
 * A range as it was stored.
 *
 * @param frontier of `frontierBytes`
 * @throws RangeError when these cannot be the frontier of a tree of that size
 */
export function rangeOf(size: number, frontier: Uint8Array): CompactRange {
  const hashes = isSize(size) ? subtreesOf({ begin: 0, end: size }).length : -1;
  if (frontier.length !== hashes * HASH_SIZE)
    throw new RangeError(`No tree of ${size} leaves has a frontier of ${frontier.length} bytes.`);
  const bytes = Buffer.from(frontier);
  return frozen(
    size,
    Array.from({ length: hashes }, (_, at) => bytes.subarray(at * HASH_SIZE, (at + 1) * HASH_SIZE)),
  );
}

/** The range over the first `size` leaves of a log, from the hashes it keeps. @throws RangeError when it lacks some */
export async function readRange(size: number, stored: StoredHashes): Promise<CompactRange> {
  if (!isSize(size)) throw new RangeError(`No tree has ${size} leaves.`);
  const spans = subtreesOf({ begin: 0, end: size }).map(({ level, index }) => {
    const width = 2 ** level;
    return { begin: index * width, end: (index + 1) * width };
  });
  return frozen(size, [...(await spanHashes(spans, stored))]);
}

const frozen = (size: number, frontier: Uint8Array[]): CompactRange =>
  Object.freeze({ size, frontier: Object.freeze(frontier) });

// Like adding one to a binary number: every subtree of the leaf's size that stands ready is merged, as a one is carried.
function push(frontier: Uint8Array[], completed: StoredNode[], leaf: Uint8Array, index: number): void {
  let hash = leaf;
  let [level, at] = [0, index];
  for (; at % 2 === 1; at = (at - 1) / 2) {
    hash = nodeHash(asHash(frontier.pop(), 'The frontier'), hash);
    level += 1;
    if (level % TILE_HEIGHT === 0) completed.push(Object.freeze({ level, index: (at - 1) / 2, hash }));
  }
  frontier.push(hash);
}
