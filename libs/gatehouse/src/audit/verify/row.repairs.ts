import type { BatchHeader, LedgerRecord } from '../../contracts/ledger.js';
import type { StoredRow } from '../../contracts/ports/ledger.reader.js';
import { LEDGER_COLUMNS, type LedgerColumn } from '../../values/ledger/ledger.columns.js';

/** What a row may have held. */
export interface Content {
  readonly record: LedgerRecord;
  readonly commitment: Uint8Array | null;
}

/** A way a row may have looked before, and in which columns that differs from what is stored. */
export interface Repair {
  readonly columns: readonly string[];
  readonly content: Content;
}

const SIBLINGS = 20;
const OF_RECORD = LEDGER_COLUMNS.filter(({ field }) => field !== 'payloadCommitment');

type Field = keyof LedgerRecord;
type Value = LedgerRecord[Field];

/** The usual ways to change a row, undone: a value emptied or filled in, two columns swapped, a value of a neighbour taken. */
export function* repairsOf(row: StoredRow, rows: readonly StoredRow[], header: BatchHeader): Generator<Repair> {
  for (const column of OF_RECORD) {
    const field = fieldOf(column);
    for (const value of valuesFor(column, field, row, rows, header)) {
      if (value === row.record[field]) continue;
      yield { columns: [column.name], content: { ...row, record: { ...row.record, [field]: value } } };
    }
  }
  yield { columns: ['payload_commitment'], content: { record: row.record, commitment: null } };
  for (const { commitment } of rows.slice(0, SIBLINGS))
    yield { columns: ['payload_commitment'], content: { record: row.record, commitment } };
  yield* swaps(row);
}

function* swaps(row: StoredRow): Generator<Repair> {
  for (const [at, one] of OF_RECORD.entries()) {
    for (const other of OF_RECORD.slice(at + 1)) {
      const [a, b] = [row.record[fieldOf(one)], row.record[fieldOf(other)]];
      if (one.type !== other.type || a === b) continue;
      const record = { ...row.record, [fieldOf(one)]: b, [fieldOf(other)]: a };
      yield { columns: [one.name, other.name], content: { record, commitment: row.commitment } };
    }
  }
}

function valuesFor(
  { type }: LedgerColumn,
  field: Field,
  row: StoredRow,
  rows: readonly StoredRow[],
  header: BatchHeader,
): readonly Value[] {
  if (field === 'id') return [header.firstId, header.lastId];
  const siblings = [...new Set(rows.map(({ record }) => record[field]))].slice(0, SIBLINGS);
  if (type === 'boolean') return [null, true, false];
  if (type === 'text') return [null, '', ...(KNOWN[field] ?? []), ...siblings];
  if (type === 'timestamptz') return [null, row.record.at, row.record.startedAt, ...siblings];
  return [null, ...(type === 'uuid' ? [] : [0]), ...siblings];
}

/** Words that stand in these columns. */
const KNOWN: { readonly [F in Field]?: readonly string[] } = {
  status: [
    'success',
    'failure',
    'completed',
    'failed',
    'denied',
    'approved',
    'rejected',
    'skipped',
    'cancelled',
    'expired',
  ],
  outcome: ['success', 'failure', 'failed', 'denied', 'rejected'],
  decidedBy: ['person', 'policy', 'inspector', 'hook', 'guard'],
};

// OF_RECORD leaves out the one field that is not the record's.
const fieldOf = ({ field }: LedgerColumn): Field => field as Field;
