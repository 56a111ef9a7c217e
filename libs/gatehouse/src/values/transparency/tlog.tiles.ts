import type { Awaitable } from '../../contracts/awaitable.js';
import { nodeHash, rootOf } from './merkle.tree.js';
import { asHash } from './sha256.js';
import type { Span, Subtree } from './tree.shape.js';
import { subtreesOf } from './tree.shape.js';

/** Levels between the levels of a tree whose hashes are kept. */
export const TILE_HEIGHT = 8;
/** Hashes in one full tile. */
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** A hash a store keeps: of a complete subtree on level 8, 16, 24, …. */
export interface StoredNode extends Subtree {
  readonly hash: Uint8Array;
}

/**
 * The hashes a log keeps, so that a proof over any number of leaves costs a few reads:
 *
 * - on level 0 every leaf hash, by its index in the log (the leaves' own rows have them);
 * - on levels 8, 16, 24, … every complete subtree, as `appendTo` hands it out: one row for 256 leaves, written once, never changed.
 *
 * The `n`-th tile of level `l` of C2SP tlog-tiles is then `read(8 * l, 256 * n, 256)`, and a partial tile its beginning. All levels between
 * are hashed from one tile each, all that is incomplete from the complete subtrees under it.
 */
export interface StoredHashes {
  /** The `count` hashes (at most 256) on this level from index `first` on, in order. */
  read(level: number, first: number, count: number): Awaitable<readonly Uint8Array[]>;
}

/** The hashes of the nodes over these spans, at most a handful of reads for all of them together. */
export async function spanHashes(spans: readonly Span[], stored: StoredHashes): Promise<readonly Buffer[]> {
  const covers = spans.map(subtreesOf);
  const tiles = await readTiles(covers.flat(), stored);
  return covers.map((subtrees) => {
    const [last, ...others] = subtrees.map((subtree) => subtreeHash(subtree, tiles)).reverse();
    return others.reduce<Buffer>((right, left) => nodeHash(left, right), Buffer.from(asHash(last, 'An empty span')));
  });
}

/** The part of a tile that is needed: indexes on its level, from `first` up to, not including, `end`. */
interface TilePart {
  readonly level: number;
  first: number;
  end: number;
}
type Tiles = ReadonlyMap<string, { readonly first: number; readonly hashes: readonly Uint8Array[] }>;

async function readTiles(subtrees: readonly Subtree[], stored: StoredHashes): Promise<Tiles> {
  const parts = new Map<string, TilePart>();
  for (const subtree of subtrees) {
    const { key, ...needed } = partOf(subtree);
    const part = parts.get(key) ?? needed;
    part.first = Math.min(part.first, needed.first);
    part.end = Math.max(part.end, needed.end);
    parts.set(key, part);
  }
  return new Map(
    await Promise.all([...parts].map(async ([key, part]) => [key, await readPart(part, stored)] as const)),
  );
}

async function readPart({ level, first, end }: TilePart, stored: StoredHashes) {
  const hashes = await stored.read(level, first, end - first);
  if (hashes.length !== end - first)
    throw new RangeError(
      `The log has ${hashes.length} of the ${end - first} hashes of level ${level} from ${first} on.`,
    );
  return { first, hashes };
}

function subtreeHash(subtree: Subtree, tiles: Tiles): Buffer {
  const { key, first, end } = partOf(subtree);
  const tile = tiles.get(key);
  return rootOf(tile?.hashes.slice(first - tile.first, end - tile.first) ?? []);
}

// The hashes a subtree is made of all lie in one tile: a tile is as wide as the largest subtree below the next kept level.
function partOf({ level, index }: Subtree): TilePart & { readonly key: string } {
  const above = level % TILE_HEIGHT;
  const first = index * 2 ** above;
  const kept = level - above;
  return { key: `${kept}/${Math.floor(first / TILE_WIDTH)}`, level: kept, first, end: first + 2 ** above };
}
