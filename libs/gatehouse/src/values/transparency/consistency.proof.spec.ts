import fc from 'fast-check';

import type { ConsistencyProof } from './consistency.proof.js';
import { consistencyProofOf, verifyConsistency } from './consistency.proof.js';
import { leafHash, rootOf } from './merkle.tree.js';

const leaves = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => leafHash(Buffer.from(String(at))));
const twoSizes = fc
  .integer({ min: 1, max: 130 })
  .chain((to) => fc.tuple(fc.integer({ min: 1, max: to }), fc.constant(to)));
const flipped = (bytes: Uint8Array, bit: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
};

describe('a consistency proof', () => {
  it('holds between any two sizes of a log', () => {
    for (let to = 0; to <= 40; to += 1) {
      const tree = leaves(to);
      for (let from = 0; from <= to; from += 1)
        expect(verifyConsistency(rootOf(tree.slice(0, from)), rootOf(tree), consistencyProofOf(tree, from))).toBe(true);
    }
  });

  it('does not hold with any bit flipped', () => {
    fc.assert(
      fc.property(twoSizes, fc.nat(255), fc.nat(9), ([from, to], bit, where) => {
        const tree = leaves(to);
        const [earlier, later, proof] = [rootOf(tree.slice(0, from)), rootOf(tree), consistencyProofOf(tree, from)];
        expect(verifyConsistency(flipped(earlier, bit), later, proof)).toBe(false);
        expect(verifyConsistency(earlier, flipped(later, bit), proof)).toBe(false);
        if (proof.hashes.length === 0) return;
        const changed = where % proof.hashes.length;
        const hashes = proof.hashes.map((hash, at) => (at === changed ? flipped(hash, bit) : hash));
        expect(verifyConsistency(earlier, later, { ...proof, hashes })).toBe(false);
      }),
    );
  });

  it('does not hold for a log whose earlier leaves were changed', () => {
    fc.assert(
      fc.property(twoSizes, fc.nat(), ([from, to], which) => {
        const honest = leaves(to);
        const rewritten = honest.map((leaf, at) => (at === which % from ? leafHash(Buffer.from('rewritten')) : leaf));
        const proof = consistencyProofOf(rewritten, from);
        expect(verifyConsistency(rootOf(honest.slice(0, from)), rootOf(rewritten), proof)).toBe(false);
      }),
    );
  });

  it('does not hold with more or fewer hashes', () => {
    fc.assert(
      fc.property(twoSizes, ([from, to]) => {
        const tree = leaves(to);
        const [earlier, later, proof] = [rootOf(tree.slice(0, from)), rootOf(tree), consistencyProofOf(tree, from)];
        for (const hashes of [
          [...proof.hashes, later],
          [later, ...proof.hashes],
        ])
          expect(verifyConsistency(earlier, later, { ...proof, hashes })).toBe(false);
        if (from < to)
          expect(verifyConsistency(earlier, later, { ...proof, hashes: proof.hashes.slice(1) })).toBe(false);
      }),
    );
  });

  it('is exactly as long as it must be: a tree that grew has not the root it had', () => {
    const root = rootOf(leaves(2));
    expect(verifyConsistency(root, root, { from: 2, to: 5, hashes: [] })).toBe(false);
    expect(verifyConsistency(root, root, { from: 2, to: 2, hashes: [] })).toBe(true);
  });

  it('from nothing says nothing, but nothing has the root of nothing', () => {
    const tree = leaves(3);
    const proof = { from: 0, to: 3, hashes: [] };
    expect(verifyConsistency(rootOf([]), rootOf(tree), proof)).toBe(true);
    expect(verifyConsistency(rootOf(tree), rootOf(tree), proof)).toBe(false);
    expect(verifyConsistency(rootOf([]), rootOf(tree), { from: 0, to: 0, hashes: [] })).toBe(false);
  });

  it.each<Partial<ConsistencyProof>>([
    { from: 4 },
    { from: -1 },
    { from: 0.5 },
    { from: NaN },
    { to: 2 ** 60 },
    { to: Infinity },
    { hashes: [] },
    { hashes: [Buffer.alloc(31)] },
  ])('is false, not an error, with %j', (change) => {
    const tree = leaves(3);
    const claim = { ...consistencyProofOf(tree, 2), ...change };
    expect(verifyConsistency(rootOf(tree.slice(0, 2)), rootOf(tree), claim)).toBe(false);
  });

  it('cannot be made from a later tree', () => {
    expect(() => consistencyProofOf(leaves(3), 4)).toThrow('A tree of 3 leaves has no earlier tree of 4.');
  });
});
