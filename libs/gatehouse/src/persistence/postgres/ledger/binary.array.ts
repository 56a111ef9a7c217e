import type { LedgerType } from '../../../values/ledger/ledger.columns.js';

// What PostgreSQL calls its types on the wire, for ever.
const OIDS: Readonly<Record<LedgerType, number>> = {
  boolean: 16,
  bytea: 17,
  bigint: 20,
  integer: 23,
  text: 25,
  timestamptz: 1184,
  uuid: 2950,
};
const HEAD = 20;
const LENGTH = 4;
const FEW = 48;

/**
 * An array parameter in PostgreSQL's binary form, filled element by element: neither side writes or reads text, and a value goes in as the very
 * bytes that were hashed. `driver` sends a Buffer as binary.
 */
export class BinaryArray {
  readonly bytes: Buffer;
  private at = HEAD;
  private filled = 0;

  /** @param size bytes of all values together */
  constructor(
    type: LedgerType,
    readonly count: number,
    size: number,
  ) {
    this.bytes = Buffer.allocUnsafe(HEAD + count * LENGTH + size);
    // One dimension, NULLs may follow, the type, how many, numbered from 1.
    for (const [index, number] of [1, 1, OIDS[type], count, 1].entries()) this.bytes.writeInt32BE(number, index * 4);
  }

  add(value: Uint8Array): void {
    this.bytes.writeInt32BE(value.length, this.at);
    this.bytes.set(value, this.at + LENGTH);
    this.at += LENGTH + value.length;
    this.filled += 1;
  }

  /** Copies a value with its length in front from where it stands. */
  addFrom(source: Buffer, start: number, end: number): void {
    const { bytes } = this;
    let to = this.at;
    // A call into the runtime costs more than a few bytes do.
    if (end - start > FEW) to += source.copy(bytes, to, start, end);
    else for (let from = start; from < end; from += 1) bytes[to++] = source[from] ?? 0;
    this.at = to;
    this.filled += 1;
  }

  /** NULLs, until so many elements are there. */
  fillTo(count: number): void {
    for (; this.filled < count; this.filled += 1, this.at += LENGTH) this.bytes.writeInt32BE(-1, this.at);
  }
}

/** The array of these values. */
export function binaryArray(type: LedgerType, values: readonly (Uint8Array | null)[]): Buffer {
  const size = values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
  const array = new BinaryArray(type, values.length, size);
  values.forEach((value, at) => (value === null ? array.fillTo(at + 1) : array.add(value)));
  return array.bytes;
}
