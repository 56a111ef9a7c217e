import { proveConsistency, verifyConsistency } from './consistency.proof.js';
import { appendTo, EMPTY_RANGE, readRange, rootOfRange } from './compact.range.js';
import { inclusionProofOf, proveInclusion, verifyInclusion } from './inclusion.proof.js';
import { leafHash, nodeHash, rootOf } from './merkle.tree.js';
import type { StoredHashes } from './tlog.tiles.js';
import { spanHashes } from './tlog.tiles.js';

const leaf = leafHash(Buffer.from('always the same'));

/** A log of equal leaves, so that one of any size is at hand; refuses what no store keeps, and counts the reads. */
class EqualLeaves implements StoredHashes {
  readonly reads: string[] = [];
  private readonly levels: Buffer[] = [leaf];

  constructor(private readonly size: number) {}

  read(level: number, first: number, count: number): readonly Buffer[] {
    if (level % 8 !== 0 || count > 256) throw new Error(`no store keeps ${count} hashes of level ${level}`);
    if ((first + count) * 2 ** level > this.size) throw new Error(`level ${level} is not complete at ${first + count}`);
    this.reads.push(`${count} of level ${level}`);
    while (this.levels.length <= level) this.levels.push(this.double());
    return Array.from({ length: count }, () => this.levels[level] ?? leaf);
  }

  private double(): Buffer {
    const last = this.levels.at(-1) ?? leaf;
    return nodeHash(last, last);
  }
}

/** A log as a sealer makes it: leaves by index, and what `appendTo` handed out. */
function logOf(leaves: readonly Buffer[]): StoredHashes {
  const kept = new Map(
    appendTo(EMPTY_RANGE, leaves).completed.map(({ level, index, hash }) => [`${level}/${index}`, hash]),
  );
  return {
    read: async (level, first, count) =>
      level === 0
        ? leaves.slice(first, first + count)
        : Array.from({ length: count }, (_, at) => kept.get(`${level}/${first + at}`)).filter(
            (hash) => hash !== undefined,
          ),
  };
}

describe('the hashes a log keeps', () => {
  const SIZE = 2 ** 16 + 700;
  const leaves = Array.from({ length: SIZE }, (_, at) => leafHash(Buffer.from(String(at))));
  const log = logOf(leaves);
  const root = rootOf(leaves);

  it.each([0, 1, 255, 256, 511, 40_000, 65_535, 65_536, 65_792, SIZE - 1])('prove leaf %d', async (index) => {
    const proof = await proveInclusion(index, SIZE, log);
    expect(proof).toEqual(inclusionProofOf(leaves, index));
    expect(verifyInclusion(leaves[index] ?? leaf, proof, root)).toBe(true);
  });

  it.each([0, 1, 255, 256, 257, 40_000, 65_535, 65_536, 65_537, 66_000, SIZE])(
    'prove the first %d leaves',
    async (from) => {
      const proof = await proveConsistency(from, SIZE, log);
      expect(verifyConsistency(rootOf(leaves.slice(0, from)), root, proof)).toBe(true);
    },
  );

  it('prove every leaf in every earlier tree too', async () => {
    for (const size of [300, 4_097, 65_535, 65_537]) {
      const proof = await proveInclusion(size - 2, size, log);
      expect(verifyInclusion(leaves[size - 2] ?? leaf, proof, rootOf(leaves.slice(0, size)))).toBe(true);
    }
  });

  it('are missed when some are gone', async () => {
    await expect(spanHashes([{ begin: 0, end: 512 }], { read: () => [leaf] })).rejects.toThrow(
      'The log has 1 of the 2 hashes of level 8 from 0 on.',
    );
  });
});

describe('a log of ten million leaves', () => {
  const SIZE = 10_000_000;

  it('is proved by at most six reads of at most 256 hashes', async () => {
    const root = rootOfRange(await readRange(SIZE, new EqualLeaves(SIZE)));
    for (const index of [0, 1_234_567, 9_999_359, 9_999_360, SIZE - 1]) {
      const log = new EqualLeaves(SIZE);
      const proof = await proveInclusion(index, SIZE, log);
      expect(verifyInclusion(leaf, proof, root)).toBe(true);
      expect(log.reads.length).toBeLessThanOrEqual(6);
    }
  });

  it('is shown to extend an earlier one by at most six reads', async () => {
    const root = rootOfRange(await readRange(SIZE, new EqualLeaves(SIZE)));
    for (const from of [1, 65_537, 7_654_321, 9_999_999]) {
      const log = new EqualLeaves(SIZE);
      const proof = await proveConsistency(from, SIZE, log);
      const earlier = rootOfRange(await readRange(from, new EqualLeaves(from)));
      expect(verifyConsistency(earlier, root, proof)).toBe(true);
      expect(log.reads.length).toBeLessThanOrEqual(6);
    }
  });

  it('costs less than 5 ms to prove, the reads aside', async () => {
    const log = new EqualLeaves(SIZE);
    const times: number[] = [];
    for (let run = 0; run < 20; run += 1) {
      const start = performance.now();
      await proveInclusion(1_234_567, SIZE, log);
      times.push(performance.now() - start);
    }
    expect(Math.min(...times)).toBeLessThan(5);
  });
});
