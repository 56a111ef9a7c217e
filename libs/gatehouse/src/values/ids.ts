import { randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

const BYTES = 16;

/** Makes ids in order, also within one millisecond. Takes its randomness in large pieces: asking the system for each id cost more than the rest. */
class IdMaker {
  private readonly pool = new Uint8Array(BYTES * 256);
  private taken = this.pool.length;
  private msecs = 0;
  private seq = 0;

  next(): string {
    const random = this.random();
    const now = Date.now();
    if (now > this.msecs) {
      this.msecs = now;
      // Half of the room stays for the ids of this millisecond.
      this.seq = (((random[6] ?? 0) << 23) | ((random[7] ?? 0) << 15) | ((random[8] ?? 0) << 7)) >>> 0;
    } else this.seq += 1;
    return v7({ random, msecs: this.msecs, seq: this.seq });
  }

  private random(): Uint8Array {
    if (this.taken === this.pool.length) {
      randomFillSync(this.pool);
      this.taken = 0;
    }
    return this.pool.subarray(this.taken, (this.taken += BYTES));
  }
}

// Two applications of one process may share it: it holds nothing of either.
const ids = new IdMaker();

/** A fresh id: a uuid v7, so ids made later sort later. */
export function newId(): string {
  return ids.next();
}

/** Whether the text is a uuid of any version; for ids that arrive from outside. Never throws. */
export function isUuid(text: string): boolean {
  return validate(text);
}
