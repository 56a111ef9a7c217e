import fc from 'fast-check';

import { isLeafOf, isSize, splitOf, subtreesOf } from './tree.shape.js';

const size = fc.oneof(
  fc.integer({ min: 2, max: 300 }),
  fc.maxSafeInteger().filter((n) => n >= 2),
);

describe('splitOf', () => {
  it('is the largest power of two below the width, also above 31 bits', () => {
    expect([2, 3, 4, 5, 8, 9, 1000].map(splitOf)).toEqual([1, 2, 2, 4, 4, 8, 512]);
    expect(splitOf(2 ** 40)).toBe(2 ** 39);
    expect(splitOf(Number.MAX_SAFE_INTEGER)).toBe(2 ** 52);
  });
});

describe('subtreesOf', () => {
  it('covers a tree by one complete subtree for each one in its binary size, largest first', () => {
    expect(subtreesOf({ begin: 0, end: 0 })).toEqual([]);
    expect(subtreesOf({ begin: 0, end: 7 })).toEqual([
      { level: 2, index: 0 },
      { level: 1, index: 2 },
      { level: 0, index: 6 },
    ]);
    fc.assert(
      fc.property(size, (end) => {
        const subtrees = subtreesOf({ begin: 0, end });
        expect(subtrees.reduce((sum, { level }) => sum + 2 ** level, 0)).toBe(end);
        expect(subtrees.map(({ level }) => level)).toEqual(
          [...end.toString(2)].flatMap((bit, at, bits) => (bit === '1' ? [bits.length - 1 - at] : [])),
        );
      }),
    );
  });

  it('names a complete subtree by one, and begins where the span begins', () => {
    expect(subtreesOf({ begin: 8, end: 12 })).toEqual([{ level: 2, index: 2 }]);
    expect(subtreesOf({ begin: 8, end: 11 })).toEqual([
      { level: 1, index: 4 },
      { level: 0, index: 10 },
    ]);
  });
});

describe('isSize and isLeafOf', () => {
  it('take only whole numbers that are counted exactly', () => {
    expect([0, 1, 2 ** 53 - 1].map(isSize)).toEqual([true, true, true]);
    expect([-1, 0.5, NaN, Infinity, 2 ** 53].map(isSize)).toEqual([false, false, false, false, false]);
    expect([isLeafOf(0, 1), isLeafOf(1, 1), isLeafOf(-1, 1), isLeafOf(0, 0), isLeafOf(0, 1.5)]).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
