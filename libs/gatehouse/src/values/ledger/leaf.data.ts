import type { LedgerRecord } from '../../contracts/ledger.js';
import { LEDGER_COLUMNS, type LedgerColumn, type LedgerType } from './ledger.columns.js';
import { recordValues } from './record.values.js';
import { sha256 } from '../transparency/sha256.js';
import { writeInt64, writeText, writeUuid, UnstorableValue } from './leaf.values.js';

/** Version of the encoding: the first byte of what a leaf is made of. */
export const LEAF_CODEC = 1;

/** Bytes of the tag and the length in front of each value. */
export const LEAF_HEAD = 5;

// PostgreSQL counts microseconds from 2000-01-01.
const EPOCH = 946_684_800_000;
const ROOM = 16 * 1024;
const DATA = 1;

/**
 * The bytes a record's leaf is the hash of: the codec's number, then for each column that is not NULL its tag (one byte), the length of its
 * value (four bytes, big endian) and the value as PostgreSQL sends it in binary (`uuid_send`, `timestamptz_send`, UTF-8 …), in the order of the
 * tags. Absent and empty differ, and no two records share an encoding. docs/verify.md has the same in SQL.
 *
 * @param payloadCommitment of the record's payload, where it has one
 * @throws UnstorableValue for what its column cannot hold
 */
export function leafData(record: LedgerRecord, payloadCommitment: Uint8Array | null): Buffer {
  return scratch.encode(record, payloadCommitment).data();
}

/** The same with its hash (RFC 6962). */
export function encodeLeaf(
  record: LedgerRecord,
  payloadCommitment: Uint8Array | null,
): { readonly data: Buffer; readonly leaf: Buffer } {
  const encoded = scratch.encode(record, payloadCommitment);
  return { data: encoded.data(), leaf: encoded.hash() };
}

type Value = NonNullable<LedgerRecord[Exclude<LedgerColumn['field'], 'payloadCommitment'>]> | Uint8Array;

/** Encodes into one buffer that is used again: a record is copied out once, with its exact size. */
class LeafScratch {
  // The first byte says that a leaf is hashed, not a node.
  private bytes = Buffer.alloc(ROOM);
  private at = 0;

  encode(record: LedgerRecord, payloadCommitment: Uint8Array | null): this {
    this.at = DATA;
    this.bytes[this.at++] = LEAF_CODEC;
    const values = recordValues(record);
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      if (value !== undefined && value !== null) this.add(columnAt(index), value);
    }
    if (payloadCommitment !== null) this.add(columnAt(values.length), payloadCommitment);
    return this;
  }

  data(): Buffer {
    const data = Buffer.allocUnsafe(this.at - DATA);
    this.bytes.copy(data, 0, DATA, this.at);
    return data;
  }

  hash(): Buffer {
    return sha256(this.bytes.subarray(0, this.at));
  }

  private add({ tag, type, field }: LedgerColumn, value: Value): void {
    this.reserve(LEAF_HEAD + 16 + (typeof value === 'string' ? value.length * 3 : 32));
    const head = this.at;
    const length = WRITERS[type](this.bytes, head + LEAF_HEAD, value);
    if (length < 0) throw new UnstorableValue(field, type);
    this.bytes[head] = tag;
    this.bytes.writeUInt32BE(length, head + 1);
    this.at = head + LEAF_HEAD + length;
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const larger = Buffer.alloc(2 * (this.at + bytes));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

function columnAt(index: number): LedgerColumn {
  const column = LEDGER_COLUMNS[index];
  if (column === undefined) throw new RangeError(`There is no sealed column ${index + 1}.`);
  return column;
}

/** Writes a value; how many bytes, or less than 0 where the column could not hold it. */
type Writer = (bytes: Buffer, at: number, value: Value) => number;

const WRITERS: Readonly<Record<LedgerType, Writer>> = {
  uuid: (bytes, at, value) => (typeof value === 'string' ? writeUuid(bytes, at, value) : -1),
  text: (bytes, at, value) => (typeof value === 'string' ? writeText(bytes, at, value) : -1),
  timestamptz: (bytes, at, value) => {
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) return -1;
    return writeInt64(bytes, at, (value.getTime() - EPOCH) * 1000);
  },
  integer: (bytes, at, value) => {
    if (typeof value !== 'number' || (value | 0) !== value) return -1;
    bytes.writeInt32BE(value, at);
    return 4;
  },
  bigint: (bytes, at, value) => (typeof value === 'number' ? writeInt64(bytes, at, value) : -1),
  boolean: (bytes, at, value) => {
    if (typeof value !== 'boolean') return -1;
    bytes[at] = value ? 1 : 0;
    return 1;
  },
  bytea: (bytes, at, value) => {
    if (!(value instanceof Uint8Array) || value.length > 32) return -1;
    bytes.set(value, at);
    return value.length;
  },
};

// Two applications of one process may share it: nothing stays in it between two calls.
const scratch = new LeafScratch();
