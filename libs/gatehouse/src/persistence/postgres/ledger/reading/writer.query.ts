import type { Client } from 'pg';
import type { KnownWriter } from '../../../../contracts/ports/ledger.reader.js';
import type { TableNames } from '../../table.names.js';

/**
 * Who writes or wrote the log. What a writer says of itself is in the log under its own name, so that taking its row away hides nothing; that it
 * was lost is told by others.
 */
export async function readWriters(client: Client, { writer, batch, log }: TableNames): Promise<readonly KnownWriter[]> {
  const { rows } = await client.query<WriterRow>(
    `WITH told AS MATERIALIZED (
      SELECT writer_id AS id, bool_or(status = 'opened') AS opened, max(greatest(amount, seq)) FILTER (WHERE status = 'closed') AS closed_seq
      FROM ${log} WHERE kind = 'writer' AND status IN ('opened', 'closed') AND reference = writer_id::text GROUP BY writer_id
    ), lost AS MATERIALIZED (
      SELECT reference AS id, max(amount) AS seq FROM ${log} WHERE kind = 'writer' AND status = 'lost' GROUP BY reference
    ) SELECT coalesce(w.id, t.id) AS id, w.state, greatest(w.last_seq, t.closed_seq, l.seq) AS last_seq,
      coalesce(extract(epoch FROM now() - w.seen_at) * 1000, 0)::double precision AS silent_ms,
      CASE WHEN t.closed_seq IS NOT NULL THEN 'closed' WHEN l.id IS NOT NULL THEN 'lost' WHEN t.opened THEN 'opened' ELSE 'nothing' END AS told,
      coalesce((SELECT max(b.seq) FROM ${batch} b WHERE b.writer_id = coalesce(w.id, t.id)), 0) AS stored_seq
      FROM ${writer} w FULL JOIN told t ON t.id = w.id LEFT JOIN lost l ON l.id = coalesce(w.id, t.id)::text ORDER BY 1`,
  );
  return rows.map((row) => ({
    id: row.id,
    state: row.state ?? undefined,
    lastSeq: row.last_seq === null ? undefined : Number(row.last_seq),
    silentMs: Math.round(row.silent_ms),
    told: row.told,
    storedSeq: Number(row.stored_seq),
  }));
}

interface WriterRow {
  readonly id: string;
  readonly state: NonNullable<KnownWriter['state']> | null;
  readonly last_seq: string | null;
  readonly silent_ms: number;
  readonly told: KnownWriter['told'];
  readonly stored_seq: string;
}
