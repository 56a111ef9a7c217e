import { v7, validate } from 'uuid';
import { randomBytes } from './random.pool.js';

/** Makes ids in order, also within one millisecond. */
class IdMaker {
  private msecs = 0;
  private seq = 0;

  next(): string {
    const random = randomBytes(16);
    const now = Date.now();
    if (now > this.msecs) {
      this.msecs = now;
      // Half of the room stays for the ids of this millisecond.
      this.seq = random.readUInt32BE(6) >>> 1;
    } else this.seq += 1;
    return v7({ random, msecs: this.msecs, seq: this.seq });
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
