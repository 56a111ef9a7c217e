import fc from 'fast-check';

import type { InclusionProof } from './inclusion.proof.js';
import { inclusionProofOf, verifyInclusion } from './inclusion.proof.js';
import { emptyRoot, leafHash, nodeHash, rootOf } from './merkle.tree.js';

const leaves = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => leafHash(Buffer.from(String(at))));
const leafOfTree = fc.integer({ min: 1, max: 130 }).chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)));
const flipped = (bytes: Uint8Array, bit: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
};

describe('an inclusion proof', () => {
  it('holds for every leaf of every small tree', () => {
    for (let size = 1; size <= 40; size += 1) {
      const tree = leaves(size);
      const root = rootOf(tree);
      tree.forEach((leaf, index) => {
        expect(verifyInclusion(leaf, inclusionProofOf(tree, index), root)).toBe(true);
      });
    }
  });

  it('does not hold with any bit of leaf, root or hashes flipped', () => {
    fc.assert(
      fc.property(leafOfTree, fc.nat(255), fc.nat(9), ([size, index], bit, where) => {
        const tree = leaves(size);
        const [leaf, root, proof] = [tree[index] ?? emptyRoot(), rootOf(tree), inclusionProofOf(tree, index)];
        expect(verifyInclusion(flipped(leaf, bit), proof, root)).toBe(false);
        expect(verifyInclusion(leaf, proof, flipped(root, bit))).toBe(false);
        if (proof.hashes.length === 0) return;
        const changed = where % proof.hashes.length;
        const hashes = proof.hashes.map((hash, at) => (at === changed ? flipped(hash, bit) : hash));
        expect(verifyInclusion(leaf, { ...proof, hashes }, root)).toBe(false);
      }),
    );
  });

  it('holds for no other index, and for no more or fewer hashes', () => {
    fc.assert(
      fc.property(leafOfTree, fc.nat(200), ([size, index], other) => {
        const tree = leaves(size);
        const [leaf, root, proof] = [tree[index] ?? emptyRoot(), rootOf(tree), inclusionProofOf(tree, index)];
        expect(verifyInclusion(leaf, { ...proof, index: other }, root)).toBe(other === index);
        expect(verifyInclusion(leaf, { ...proof, hashes: [...proof.hashes, root] }, root)).toBe(false);
        expect(verifyInclusion(leaf, { ...proof, hashes: [root, ...proof.hashes] }, root)).toBe(false);
        if (size > 1) expect(verifyInclusion(leaf, { ...proof, hashes: proof.hashes.slice(1) }, root)).toBe(false);
      }),
    );
  });

  it('is exactly as long as the tree is high: a root is no leaf of a larger tree, a leaf no root under another', () => {
    const [a, b] = leaves(2);
    if (!a || !b) throw new Error('two leaves were made');
    expect(verifyInclusion(a, { index: 0, size: 5, hashes: [] }, a)).toBe(false);
    expect(verifyInclusion(a, { index: 0, size: 1, hashes: [b] }, nodeHash(a, b))).toBe(false);
    expect(verifyInclusion(a, { index: 0, size: 2, hashes: [b] }, nodeHash(a, b))).toBe(true);
  });

  it('does not let a node pass for a leaf', () => {
    const tree = leaves(4);
    const [a, b, c, d] = tree.map((leaf) => leaf);
    if (!a || !b || !c || !d) throw new Error('four leaves were made');
    const proof = { index: 0, size: 2, hashes: [nodeHash(c, d)] };
    // Whoever takes a hash for a leaf instead of hashing the record is deceived by exactly this; the record's own hash is not that node's.
    expect(verifyInclusion(nodeHash(a, b), proof, rootOf(tree))).toBe(true);
    expect(verifyInclusion(leafHash(Buffer.concat([a, b])), proof, rootOf(tree))).toBe(false);
  });

  it.each<Partial<InclusionProof>>([
    { index: -1 },
    { index: 3 },
    { index: 0.5 },
    { index: NaN },
    { size: 0 },
    { size: 2 ** 60 },
    { size: Infinity },
    { hashes: [] },
    { hashes: [Buffer.alloc(31), Buffer.alloc(32)] },
  ])('is false, not an error, with %j', (change) => {
    const tree = leaves(3);
    expect(verifyInclusion(tree[0] ?? emptyRoot(), { ...inclusionProofOf(tree, 0), ...change }, rootOf(tree))).toBe(
      false,
    );
  });

  it('is false for a leaf or root that is no hash', () => {
    const proof = { index: 0, size: 1, hashes: [] };
    expect(verifyInclusion(Buffer.alloc(31), proof, Buffer.alloc(31))).toBe(false);
  });

  it('cannot be made for a leaf the tree has not', () => {
    expect(() => inclusionProofOf(leaves(3), 3)).toThrow('A tree of 3 leaves has no leaf 3.');
    expect(() => inclusionProofOf([], 0)).toThrow('A tree of 0 leaves has no leaf 0.');
  });
});
