import { emptyRoot, nodeHash, rootOf } from './merkle.tree.js';
import { isHash } from './sha256.js';
import type { StoredHashes } from './tlog.tiles.js';
import { spanHashes } from './tlog.tiles.js';
import type { Span } from './tree.shape.js';
import { isSize, splitOf } from './tree.shape.js';

/** That a tree begins with all leaves of an earlier one: what a verifier needs besides the two roots. */
export interface ConsistencyProof {
  /** Leaves of the earlier tree. */
  readonly from: number;
  /** Leaves of the later tree. */
  readonly to: number;
  /** In the order of RFC 6962, section 2.1.2; none where `from` is 0 or equals `to`. */
  readonly hashes: readonly Uint8Array[];
}

/**
 * The consistency proof between two sizes of a log.
 *
 * @throws RangeError when `from` is greater than `to`, or the log lacks hashes
 */
export async function proveConsistency(from: number, to: number, stored: StoredHashes): Promise<ConsistencyProof> {
  return proof(from, to, await spanHashes(path(from, to).spans, stored));
}

/** The consistency proof between the first `from` leaves and all, in a tree small enough to hash as a whole. @throws RangeError as `proveConsistency` */
export function consistencyProofOf(leafHashes: readonly Uint8Array[], from: number): ConsistencyProof {
  const { spans } = path(from, leafHashes.length);
  return proof(
    from,
    leafHashes.length,
    spans.map(({ begin, end }) => rootOf(leafHashes.slice(begin, end))),
  );
}

/** Whether the proof shows that the later tree begins with the earlier one. Never throws, whatever a stranger wrote. */
export function verifyConsistency(earlier: Uint8Array, later: Uint8Array, claim: ConsistencyProof): boolean {
  const { from, to, hashes } = claim;
  if (!isOrdered(from, to) || ![earlier, later, ...hashes].every(isHash)) return false;
  const { spans, startsWithEarlier } = path(from, to);
  if (spans.length !== hashes.length) return false;
  // Every tree begins with nothing.
  if (from === 0) return same(earlier, emptyRoot()) && (to > 0 || same(later, earlier));
  const reached = climb(from, spans, startsWithEarlier ? earlier : undefined, hashes);
  return same(reached.earlier, earlier) && same(reached.later, later);
}

interface Roots {
  readonly earlier: Uint8Array;
  readonly later: Uint8Array;
}

// Builds both roots side by side: what lies left of the border belongs to both trees, what lies right of it to the later one alone.
function climb(
  from: number,
  spans: readonly Span[],
  start: Uint8Array | undefined,
  hashes: readonly Uint8Array[],
): Roots {
  const [first, ...rest] = start ? [start, ...hashes] : hashes;
  const beside = start ? spans : spans.slice(1);
  const seed = first ?? emptyRoot();
  return rest.reduce<Roots>(
    (at, hash, step) =>
      (beside[step]?.begin ?? 0) >= from
        ? { earlier: at.earlier, later: nodeHash(at.later, hash) }
        : { earlier: nodeHash(hash, at.earlier), later: nodeHash(hash, at.later) },
    { earlier: seed, later: seed },
  );
}

interface Path {
  readonly spans: readonly Span[];
  /** The walk starts at the earlier tree's own root, which its reader has: it is no part of the proof. */
  readonly startsWithEarlier: boolean;
}

// The walk of RFC 6962 from the border between the two trees up to the root, lowest first.
function path(from: number, to: number): Path {
  if (!isOrdered(from, to)) throw new RangeError(`A tree of ${to} leaves has no earlier tree of ${from}.`);
  if (from === 0) return { spans: [], startsWithEarlier: true };
  const spans: Span[] = [];
  let [begin, end] = [0, to];
  while (end !== from) {
    const middle = begin + splitOf(end - begin);
    spans.push(from <= middle ? { begin: middle, end } : { begin, end: middle });
    if (from <= middle) end = middle;
    else begin = middle;
  }
  if (begin > 0) spans.push({ begin, end });
  return { spans: spans.reverse(), startsWithEarlier: begin === 0 };
}

const isOrdered = (from: number, to: number): boolean => isSize(from) && isSize(to) && from <= to;
const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;
const proof = (from: number, to: number, hashes: readonly Buffer[]): ConsistencyProof =>
  Object.freeze({ from, to, hashes: Object.freeze(hashes) });
