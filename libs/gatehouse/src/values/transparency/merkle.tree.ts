import { hash } from 'node:crypto';

import { asHash, HASH_SIZE, sha256 } from './sha256.js';

// What is hashed says whether it is a leaf or a node: no leaf can be passed off as a node (RFC 6962, section 2.1).
const LEAF = 0;
const NODE = 1;

/** The root of a tree without leaves: SHA-256 of nothing. */
export const emptyRoot = (): Buffer => sha256(new Uint8Array());

/** The hash of a leaf: SHA-256 of a zero byte and the data. */
export function leafHash(data: Uint8Array): Buffer {
  const preimage = Buffer.allocUnsafe(1 + data.length);
  preimage[0] = LEAF;
  preimage.set(data, 1);
  return sha256(preimage);
}

/** The hash of a node: SHA-256 of a one byte and the hashes of its two children. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const preimage = Buffer.allocUnsafe(1 + 2 * HASH_SIZE);
  preimage[0] = NODE;
  preimage.set(asHash(left, 'The left child'), 1);
  preimage.set(asHash(right, 'The right child'), 1 + HASH_SIZE);
  return sha256(preimage);
}

/**
 * The Merkle tree hash of RFC 6962 over leaf hashes, in order.
 *
 * @throws RangeError when one is no hash of 32 bytes
 */
export function rootOf(leafHashes: readonly Uint8Array[]): Buffer {
  if (leafHashes.length === 0) return emptyRoot();
  const level = Buffer.allocUnsafe(leafHashes.length * HASH_SIZE);
  leafHashes.forEach((leaf, at) => level.set(asHash(leaf, `Leaf ${at}`), at * HASH_SIZE));
  for (let width = leafHashes.length; width > 1; width = Math.ceil(width / 2)) pairUp(level, width);
  return Buffer.from(level.subarray(0, HASH_SIZE));
}

// Turns one level into the next in place: what is written lies left of what is still to be read. A last node without a partner moves up
// as it is, which makes the very tree that RFC 6962 makes by splitting at powers of two.
function pairUp(level: Buffer, width: number): void {
  const preimage = Buffer.allocUnsafe(1 + 2 * HASH_SIZE);
  preimage[0] = NODE;
  const pairs = Math.floor(width / 2);
  for (let pair = 0; pair < pairs; pair += 1) {
    level.copy(preimage, 1, pair * 2 * HASH_SIZE, (pair + 1) * 2 * HASH_SIZE);
    level.write(hash('sha256', preimage, 'binary'), pair * HASH_SIZE, 'latin1');
  }
  if (width % 2 === 1) level.copy(level, pairs * HASH_SIZE, (width - 1) * HASH_SIZE, width * HASH_SIZE);
}
