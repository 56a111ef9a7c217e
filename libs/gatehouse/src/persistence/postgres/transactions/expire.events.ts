import type { Sql } from '../sql.js';

/** Deletes the events of a batch of runs that ended long enough ago, oldest first. Their rows remember it, so that a reader is told. */
export async function expireEvents(sql: Sql, keptMs: number, atMost: number): Promise<number> {
  const runs = await sql.rows<{ id: string }>(
    `WITH ended AS (
        SELECT id FROM ${sql.tables.run}
        WHERE finished_at < clock_timestamp() - $1 * interval '1 millisecond' AND events_expired_at IS NULL
        ORDER BY finished_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE ${sql.tables.run} r SET events_expired_at = clock_timestamp() FROM ended WHERE r.id = ended.id RETURNING r.id`,
    [keptMs, atMost],
  );
  const ids = runs.map(({ id }) => id);
  if (ids.length > 0) await sql.run(`DELETE FROM ${sql.tables.event} WHERE run_id = ANY($1::uuid[])`, [ids]);
  return ids.length;
}
