import { randomFillSync } from 'node:crypto';

const SIZE = 8192;

/** Random bytes, drawn from the system in large pieces: asking it for a few bytes at a time costs more than most of what they are used for. */
class RandomPool {
  private bytes = Buffer.alloc(SIZE);
  private taken = SIZE;

  take(count: number): Buffer {
    if (this.taken + count > SIZE) {
      // A new buffer: what was handed out before stays its holder's.
      this.bytes = randomFillSync(Buffer.alloc(SIZE));
      this.taken = 0;
    }
    return this.bytes.subarray(this.taken, (this.taken += count));
  }
}

// Two applications of one process may share it: it holds nothing of either.
const pool = new RandomPool();

/** `count` fresh random bytes, at most 8192. */
export const randomBytes = (count: number): Buffer => pool.take(count);
