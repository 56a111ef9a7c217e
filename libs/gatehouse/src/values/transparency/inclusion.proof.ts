import { nodeHash, rootOf } from './merkle.tree.js';
import { isHash } from './sha256.js';
import type { StoredHashes } from './tlog.tiles.js';
import { spanHashes } from './tlog.tiles.js';
import type { Span } from './tree.shape.js';
import { isLeafOf, splitOf } from './tree.shape.js';

/** That a leaf stands at an index of a tree: what a verifier needs besides the root. */
export interface InclusionProof {
  /** Zero-based. */
  readonly index: number;
  /** Leaves of the tree. */
  readonly size: number;
  /** From the leaf's sibling up to the root's child (RFC 6962, section 2.1.1). */
  readonly hashes: readonly Uint8Array[];
}

/**
 * The inclusion proof of a leaf in the tree of the first `size` leaves of a log.
 *
 * @throws RangeError when the tree has no such leaf, or the log lacks hashes
 */
export async function proveInclusion(index: number, size: number, stored: StoredHashes): Promise<InclusionProof> {
  return proof(index, size, await spanHashes(siblings(index, size), stored));
}

/** The inclusion proof of a leaf in a tree small enough to hash as a whole. @throws RangeError when the tree has no such leaf */
export function inclusionProofOf(leafHashes: readonly Uint8Array[], index: number): InclusionProof {
  const spans = siblings(index, leafHashes.length);
  return proof(
    index,
    leafHashes.length,
    spans.map(({ begin, end }) => rootOf(leafHashes.slice(begin, end))),
  );
}

/** Whether the proof leads from this leaf to this root. Never throws, whatever a stranger wrote. */
export function verifyInclusion(
  leafHash: Uint8Array,
  { index, size, hashes }: InclusionProof,
  root: Uint8Array,
): boolean {
  if (!isLeafOf(index, size) || ![leafHash, root, ...hashes].every(isHash)) return false;
  const spans = siblings(index, size);
  if (spans.length !== hashes.length) return false;
  const reached = hashes.reduce((at, sibling, step) => {
    const isLeft = (spans[step]?.begin ?? 0) < index;
    return isLeft ? nodeHash(sibling, at) : nodeHash(at, sibling);
  }, leafHash);
  return Buffer.compare(reached, root) === 0;
}

const proof = (index: number, size: number, hashes: readonly Buffer[]): InclusionProof =>
  Object.freeze({ index, size, hashes: Object.freeze(hashes) });

// What the nodes on the way from the leaf to the root have beside them, lowest first.
function siblings(index: number, size: number): readonly Span[] {
  if (!isLeafOf(index, size)) throw new RangeError(`A tree of ${size} leaves has no leaf ${index}.`);
  const spans: Span[] = [];
  let [begin, end] = [0, size];
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    spans.push(index < middle ? { begin: middle, end } : { begin, end: middle });
    if (index < middle) end = middle;
    else begin = middle;
  }
  return spans.reverse();
}
