import type { BatchHeader } from '../../contracts/ledger.js';

// Of the layout below; a change takes the next number.
const CODEC = 1;

/** The bytes of a header: what a leaf of the global log is the hash of. Fixed widths, big endian. */
export function headerData({ writerId, seq, count, firstId, lastId, root }: BatchHeader): Buffer {
  const numbers = Buffer.allocUnsafe(12);
  numbers.writeBigInt64BE(BigInt(seq), 0);
  numbers.writeInt32BE(count, 8);
  return Buffer.concat([Buffer.of(CODEC), uuidBytes(writerId), numbers, uuidBytes(firstId), uuidBytes(lastId), root]);
}

const uuidBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');
