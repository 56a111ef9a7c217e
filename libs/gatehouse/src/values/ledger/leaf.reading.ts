import type { LedgerRecord } from '../../contracts/ledger.js';
import { LEAF_CODEC, LEAF_HEAD } from './leaf.data.js';
import { LEDGER_COLUMNS, type LedgerType } from './ledger.columns.js';

/** What a leaf says. */
export interface ReadLeaf {
  readonly record: LedgerRecord;
  readonly commitment: Uint8Array | null;
}

// PostgreSQL counts microseconds from 2000-01-01.
const EPOCH = 946_684_800_000;
const COLUMNS = new Map(LEDGER_COLUMNS.map((column) => [column.tag, column]));

/** Reads the bytes a leaf is the hash of: the reverse of `leafData`. Nothing where they are none of ours. */
export function readLeaf(data: Buffer): ReadLeaf | undefined {
  if (data[0] !== LEAF_CODEC) return undefined;
  const fields: Record<string, unknown> = {};
  let last = 0;
  for (let at = 1; at < data.length;) {
    const column = COLUMNS.get(data[at] ?? 0);
    if (column === undefined || column.tag <= last || at + LEAF_HEAD > data.length) return undefined;
    const end = at + LEAF_HEAD + data.readUInt32BE(at + 1);
    if (end > data.length) return undefined;
    fields[column.field] = valueOf(data.subarray(at + LEAF_HEAD, end), column.type);
    if (fields[column.field] === undefined) return undefined;
    last = column.tag;
    at = end;
  }
  const { payloadCommitment = null, ...record } = fields;
  if (!isRecord(record)) return undefined;
  return { record, commitment: payloadCommitment as Uint8Array | null };
}

const isRecord = (fields: object): fields is LedgerRecord => 'id' in fields && 'kind' in fields && 'at' in fields;

const WIDTHS: Readonly<Record<LedgerType, number | undefined>> = {
  uuid: 16,
  timestamptz: 8,
  bigint: 8,
  integer: 4,
  boolean: 1,
  text: undefined,
  bytea: undefined,
};

function valueOf(bytes: Buffer, type: LedgerType): unknown {
  const width = WIDTHS[type];
  if (width !== undefined && bytes.length !== width) return undefined;
  switch (type) {
    case 'uuid':
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    case 'timestamptz':
      return new Date(Number(bytes.readBigInt64BE()) / 1000 + EPOCH);
    case 'bigint':
      return Number(bytes.readBigInt64BE());
    case 'integer':
      return bytes.readInt32BE();
    case 'boolean':
      return bytes[0] === 1;
    case 'text':
      return bytes.toString('utf8');
    case 'bytea':
      return bytes;
  }
}
