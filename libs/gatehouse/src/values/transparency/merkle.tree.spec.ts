import { createHash } from 'node:crypto';

import fc from 'fast-check';

import { emptyRoot, leafHash, nodeHash, rootOf } from './merkle.tree.js';

const hashes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 70 });
const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

// The definition in RFC 6962, section 2.1, word for word.
function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return only;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return sha256(Buffer.of(1), treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)));
}

describe('leafHash and nodeHash', () => {
  it('say in what they hash which of the two they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (data) => {
        expect(leafHash(data)).toEqual(sha256(Buffer.of(0), data));
      }),
    );
    const [left, right] = [leafHash(Buffer.of(1)), leafHash(Buffer.of(2))];
    expect(nodeHash(left, right)).toEqual(sha256(Buffer.of(1), left, right));
    expect(leafHash(Buffer.concat([left, right]))).not.toEqual(nodeHash(left, right));
  });

  it('refuses children that are no hashes', () => {
    const hash = emptyRoot();
    expect(() => nodeHash(hash.subarray(1), hash)).toThrow('The left child must be a hash of 32 bytes, not of 31.');
    expect(() => nodeHash(hash, Buffer.alloc(33))).toThrow('The right child must be a hash of 32 bytes, not of 33.');
  });
});

describe('rootOf', () => {
  it('is the tree hash of RFC 6962, whatever the number of leaves', () => {
    fc.assert(
      fc.property(hashes, (leaves) => {
        expect(rootOf(leaves).equals(treeHash(leaves))).toBe(true);
      }),
    );
  });

  it('of nothing is the hash of nothing; of one leaf its hash, as a copy', () => {
    expect(rootOf([]).toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    const leaf = leafHash(Buffer.of(7));
    const root = rootOf([leaf]);
    root[0] = 1 + (root[0] ?? 0);
    expect(leaf).toEqual(leafHash(Buffer.of(7)));
  });

  it('leaves its input as it was', () => {
    const leaves = Array.from({ length: 9 }, (_, at) => leafHash(Buffer.of(at)));
    const before = leaves.map((leaf) => leaf.toString('hex'));
    rootOf(leaves);
    expect(leaves.map((leaf) => leaf.toString('hex'))).toEqual(before);
  });

  it('refuses what is no hash, and says which', () => {
    expect(() => rootOf([emptyRoot(), Buffer.alloc(31)])).toThrow('Leaf 1 must be a hash of 32 bytes, not of 31.');
  });

  it('takes 500 leaves in less than a millisecond', () => {
    const leaves = Array.from({ length: 500 }, (_, at) => leafHash(Buffer.of(at % 256)));
    const times = Array.from({ length: 50 }, () => {
      const start = performance.now();
      rootOf(leaves);
      return performance.now() - start;
    });
    // The best of many: what else the machine does at the time is not what is measured.
    expect(Math.min(...times)).toBeLessThan(1);
  });
});
