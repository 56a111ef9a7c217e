import type { Client } from 'pg';
import type { ProvableRecord } from '../../../../contracts/ports/ledger.reader.js';
import { leafData } from '../../../../values/ledger/leaf.data.js';
import { boundsOf, monthOf } from '../../../../values/ledger/log.month.js';
import type { TableNames } from '../../table.names.js';
import { headerOf, type BatchRow } from '../checkpoint.rows.js';
import { leafExpression } from '../leaf.expression.js';
import { recordColumns, recordOf, type RecordRow } from '../ledger.rows.js';

/** One record with the rest of its batch; nothing for an unknown id, or one without a header. */
export async function readProvable(
  client: Client,
  { log, payload, batch, leaf }: TableNames,
  id: string,
): Promise<ProvableRecord | undefined> {
  const { rows } = await client.query<RecordRow & Found>(
    `SELECT ${recordColumns('l')}, l.payload_commitment, l.idx, b.writer_id, b.seq, b.count, b.first_id, b.last_id, b.root, f.log_index, p.salt, p.body
      FROM ${log} l JOIN ${batch} b ON b.writer_id = l.writer_id AND b.seq = l.seq
      LEFT JOIN ${leaf} f ON f.writer_id = l.writer_id AND f.seq = l.seq LEFT JOIN ${payload} p ON p.id = l.id WHERE l.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { low, high } = boundsOf(monthOf(id));
  const leaves = await client.query<{ leaf: Buffer }>(
    `SELECT ${leafExpression('l')} AS leaf FROM ${log} l WHERE l.id >= $1 AND l.id < $2 AND l.writer_id = $3 AND l.seq = $4 ORDER BY l.idx`,
    [low, high, row.writer_id, row.seq],
  );
  const header = headerOf(row);
  return {
    place: { writerId: header.writerId, seq: header.seq, idx: row.idx, id },
    leafData: leafData(recordOf(row), row.payload_commitment),
    header,
    leaves: leaves.rows.map((found) => found.leaf),
    logIndex: row.log_index === null ? undefined : Number(row.log_index),
    payload: row.salt === null || row.body === null ? undefined : { salt: row.salt, body: row.body },
  };
}

interface Found extends BatchRow {
  readonly idx: number;
  readonly payload_commitment: Buffer | null;
  readonly log_index: string | null;
  readonly salt: Buffer | null;
  readonly body: Buffer | null;
}
