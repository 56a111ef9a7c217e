import type { BatchHeader } from '../../../contracts/ledger.js';
import type { PreparedEntry } from '../../../values/ledger/batch.preparation.js';
import { LEAF_CODEC } from '../../../values/ledger/leaf.data.js';
import type { LedgerColumn } from '../../../values/ledger/ledger.columns.js';
import type { TableNames } from '../table.names.js';
import { binaryArray } from './binary.array.js';
import { columnArrays } from './column.arrays.js';

/** A statement with its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const FIRST = 7;
const BODIES = 4;

/**
 * One statement, so one transaction and one round trip: the header first, then the records with their places, then the payloads. Any number of
 * records, with one array parameter for each column that any of them has.
 */
export function batchInsert(tables: TableNames, header: BatchHeader, entries: readonly PreparedEntry[]): Statement {
  const arrays = columnArrays(entries);
  const bodies = bodyArrays(entries);
  return {
    text: insertText(
      tables,
      arrays.map(({ column }) => column),
      bodies.length > 0,
    ),
    values: [
      header.writerId,
      header.seq,
      header.count,
      header.firstId,
      header.lastId,
      header.root,
      ...bodies,
      ...arrays.map(({ values }) => values),
    ],
  };
}

function insertText({ batch, log, payload }: TableNames, columns: readonly LedgerColumn[], bodies: boolean): string {
  const first = bodies ? FIRST + BODIES : FIRST;
  const names = columns.map(({ name }) => name).join(', ');
  const arrays = columns.map(({ type }, at) => `$${at + first}::${type}[]`).join(', ');
  return `WITH header AS (
    INSERT INTO ${batch} (writer_id, seq, codec, count, first_id, last_id, root)
      SELECT $1::uuid, $2::bigint, ${LEAF_CODEC}, $3::integer, $4::uuid, $5::uuid, $6::bytea RETURNING writer_id, seq
  )${bodies ? `, bodies AS (INSERT INTO ${payload} (id, organization_id, salt, body) SELECT * FROM ${BODY_ROWS})` : ''}
  INSERT INTO ${log} (${names}, writer_id, seq, idx)
    SELECT ${columns.map(({ name }) => `r.${name}`).join(', ')}, header.writer_id, header.seq, (r.ordinality - 1)::integer
      FROM header CROSS JOIN unnest(${arrays}) WITH ORDINALITY AS r(${names}, ordinality)`;
}

const BODY_ROWS = `unnest($${FIRST}::uuid[], $${FIRST + 1}::text[], $${FIRST + 2}::bytea[], $${FIRST + 3}::bytea[])`;

function bodyArrays(entries: readonly PreparedEntry[]): readonly Buffer[] {
  const bodies = entries.flatMap(({ entry, data, payload }) => (payload === null ? [] : [{ entry, data, payload }]));
  if (bodies.length === 0) return [];
  return [
    binaryArray(
      'uuid',
      // The id is the first value of every record.
      bodies.map(({ data }) => data.subarray(ID_AT, ID_AT + 16)),
    ),
    binaryArray(
      'text',
      bodies.map(({ entry }) => textOf(entry.record.organizationId)),
    ),
    binaryArray(
      'bytea',
      bodies.map(({ payload }) => payload.salt),
    ),
    binaryArray(
      'bytea',
      bodies.map(({ payload }) => payload.body),
    ),
  ];
}

const ID_AT = 6;

const textOf = (text: string | null | undefined): Buffer | null =>
  typeof text === 'string' ? Buffer.from(text, 'utf8') : null;
