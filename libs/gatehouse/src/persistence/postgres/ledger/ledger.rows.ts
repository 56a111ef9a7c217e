import type { LedgerEntry, LedgerPayload, LedgerRecord, StoredEntry } from '../../../contracts/ledger.js';
import { LEDGER_COLUMNS, type LedgerType } from '../../../values/ledger/ledger.columns.js';
import type { BulkColumn } from '../writes/bulk.insert.js';

/** The columns that facts have as well: all sealed ones but for the commitment, which is made when they are sealed. */
const OF_RECORD = LEDGER_COLUMNS.filter(({ field }) => field !== 'payloadCommitment');

/** `l.id, l.kind, …`. */
export const recordColumns = (alias: string): string => OF_RECORD.map(({ name }) => `${alias}.${name}`).join(', ');

/** A row with the columns of a record. `bigint` comes as text. */
export type RecordRow = Readonly<Record<string, unknown>>;

/** The record of a row. */
export function recordOf(row: RecordRow): LedgerRecord {
  return Object.fromEntries(
    OF_RECORD.map(({ field, name, type }) => [field, valueOf(row[name], type)]),
  ) as unknown as LedgerRecord;
}

function valueOf(value: unknown, type: LedgerType): unknown {
  return type === 'bigint' && value !== null ? Number(value) : value;
}

/** A row as the page queries give it: the record's columns, `body` (text), `bound` (it has a commitment) and `sealed`. */
export type EntryRow = RecordRow & { readonly body: string | null; readonly bound: boolean; readonly sealed: boolean };

export function storedEntry(row: EntryRow): StoredEntry {
  return {
    record: recordOf(row),
    payload: row.body === null ? null : (JSON.parse(row.body) as LedgerPayload),
    erased: row.body === null && row.bound,
    sealed: row.sealed,
  };
}

/** The columns of a fact in the outbox, for a bulk insert. */
export const FACT_COLUMNS: readonly BulkColumn<LedgerEntry>[] = [
  ...OF_RECORD.map(({ name, type, field }) => ({
    name,
    type,
    // OF_RECORD leaves out the one field that is not the record's.
    read: ({ record }: LedgerEntry) => stored(record[field as keyof LedgerRecord]),
  })),
  { name: 'payload', type: 'text', read: ({ payload }) => (payload === null ? null : JSON.stringify(payload)) },
];

// A date that is none goes as text: the database refuses that record alone, the driver would refuse the batch.
function stored(value: LedgerRecord[keyof LedgerRecord]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Number.isNaN(value.getTime()) ? 'no instant' : value.toISOString();
}
