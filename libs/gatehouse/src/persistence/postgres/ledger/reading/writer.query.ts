import type { Client } from 'pg';
import type { KnownWriter } from '../../../../contracts/ports/ledger.reader.js';
import type { TableNames } from '../../table.names.js';

/** Who writes or wrote the log. */
export async function readWriters(client: Client, { writer, batch }: TableNames): Promise<readonly KnownWriter[]> {
  const { rows } = await client.query<WriterRow>(
    `SELECT w.id, w.state, w.last_seq, extract(epoch FROM now() - w.seen_at)::double precision * 1000 AS silent_ms,
      coalesce((SELECT max(b.seq) FROM ${batch} b WHERE b.writer_id = w.id), 0) AS stored_seq FROM ${writer} w ORDER BY w.id`,
  );
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    lastSeq: row.last_seq === null ? undefined : Number(row.last_seq),
    silentMs: Math.round(row.silent_ms),
    storedSeq: Number(row.stored_seq),
  }));
}

interface WriterRow {
  readonly id: string;
  readonly state: KnownWriter['state'];
  readonly last_seq: string | null;
  readonly silent_ms: number;
  readonly stored_seq: string;
}
