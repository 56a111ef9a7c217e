import fc from 'fast-check';

import { appendTo, EMPTY_RANGE, frontierBytes, rangeOf, readRange, rootOfRange } from './compact.range.js';
import { leafHash, rootOf } from './merkle.tree.js';
import type { StoredNode } from './tlog.tiles.js';

const leaf = (at: number): Buffer => leafHash(Buffer.from(String(at)));
const leaves = (count: number, from = 0): Buffer[] => Array.from({ length: count }, (_, at) => leaf(from + at));

describe('a compact range', () => {
  it('has the root of the tree after every append, in batches of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 8 }), (batches) => {
        let range = EMPTY_RANGE;
        for (const batch of batches) {
          range = appendTo(range, leaves(batch, range.size)).range;
          expect(rootOfRange(range)).toEqual(rootOf(leaves(range.size)));
        }
        expect(range.size).toBe(batches.reduce((sum, batch) => sum + batch, 0));
      }),
    );
  });

  it('holds one hash for each one in its binary size', () => {
    expect([0, 1, 2, 3, 255, 256].map((size) => appendTo(EMPTY_RANGE, leaves(size)).range.frontier.length)).toEqual([
      0, 1, 1, 2, 8, 1,
    ]);
  });

  it('stays as it was when one appends to it', () => {
    const { range } = appendTo(EMPTY_RANGE, leaves(7));
    const bytes = frontierBytes(range);
    appendTo(range, leaves(9, 7));
    expect(range.size).toBe(7);
    expect(frontierBytes(range)).toEqual(bytes);
    expect(Object.isFrozen(range) && Object.isFrozen(range.frontier)).toBe(true);
  });

  it('hands out each complete subtree of level 8, 16, … exactly once, when its last leaf comes', () => {
    const completed: StoredNode[] = [];
    let range = EMPTY_RANGE;
    for (const batch of [100, 156, 1, 600, 2 ** 16 - 857, 3]) {
      const growth = appendTo(range, leaves(batch, range.size));
      completed.push(...growth.completed);
      range = growth.range;
    }
    expect(completed).toHaveLength(257);
    expect(completed.slice(0, 256).map(({ level, index }) => [level, index])).toEqual(
      Array.from({ length: 256 }, (_, at) => [8, at]),
    );
    expect(completed[1]?.hash).toEqual(rootOf(leaves(256, 256)));
    expect(completed[256]).toEqual({ level: 16, index: 0, hash: rootOf(leaves(2 ** 16)) });
  });

  it('refuses a leaf that is no hash', () => {
    expect(() => appendTo(EMPTY_RANGE, [leaf(0), Buffer.alloc(5)])).toThrow(
      'Leaf 1 must be a hash of 32 bytes, not of 5.',
    );
  });
});

describe('a stored range', () => {
  it('is the same again, and shares no memory with its bytes', () => {
    fc.assert(
      fc.property(fc.nat(300), (size) => {
        const { range } = appendTo(EMPTY_RANGE, leaves(size));
        const bytes = frontierBytes(range);
        const restored = rangeOf(size, bytes);
        bytes.fill(0);
        expect(restored).toEqual(range);
        expect(rootOfRange(appendTo(restored, leaves(5, size)).range)).toEqual(rootOf(leaves(size + 5)));
      }),
    );
  });

  it.each([
    [3, 32],
    [3, 65],
    [0, 32],
    [-1, 0],
    [1.5, 32],
    [NaN, 0],
  ])('is refused for %d leaves and %d bytes', (size, bytes) => {
    expect(() => rangeOf(size, Buffer.alloc(bytes))).toThrow(
      `No tree of ${size} leaves has a frontier of ${bytes} bytes.`,
    );
  });

  it('can be read back from the hashes a log keeps', async () => {
    const growth = appendTo(EMPTY_RANGE, leaves(700));
    const stored = {
      read: (level: number, first: number, count: number) =>
        level === 0
          ? leaves(count, first)
          : growth.completed
              .filter((node) => node.level === level && node.index >= first && node.index < first + count)
              .map(({ hash }) => hash),
    };
    expect(await readRange(700, stored)).toEqual(growth.range);
    expect(await readRange(0, stored)).toEqual(EMPTY_RANGE);
    await expect(readRange(-1, stored)).rejects.toThrow('No tree has -1 leaves.');
  });
});
