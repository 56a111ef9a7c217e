import { isUuid } from '../../../values/ids.js';
import type { Sql } from '../sql.js';

/** Notes that somebody watches these runs under way. Locked in the order of their ids, like every other transaction that locks several. */
export async function watchRuns(sql: Sql, runIds: readonly string[], forMs: number): Promise<void> {
  await sql.run(
    `WITH watched AS (
        SELECT id FROM ${sql.tables.run} WHERE id = ANY($1::uuid[]) AND status IN ('queued', 'running')
        ORDER BY id FOR NO KEY UPDATE)
      UPDATE ${sql.tables.run} r SET watched_until = greatest(r.watched_until, clock_timestamp() + $2 * interval '1 millisecond')
      FROM watched WHERE r.id = watched.id`,
    [runIds.filter(isUuid), forMs],
  );
}

/** Forgets who watched. */
export async function unwatchRuns(sql: Sql, runIds: readonly string[]): Promise<void> {
  await sql.run(
    `WITH watched AS (
        SELECT id FROM ${sql.tables.run} WHERE id = ANY($1::uuid[]) AND watched_until IS NOT NULL ORDER BY id FOR NO KEY UPDATE)
      UPDATE ${sql.tables.run} r SET watched_until = NULL FROM watched WHERE r.id = watched.id`,
    [runIds.filter(isUuid)],
  );
}

/** For how many milliseconds more somebody counts as watching. */
export async function watchedFor(sql: Sql, runId: string): Promise<number> {
  const row = await sql.row<{ left: number }>(
    `SELECT ceil(extract(epoch FROM watched_until - clock_timestamp()) * 1000)::double precision AS left
      FROM ${sql.tables.run} WHERE id = $1 AND watched_until IS NOT NULL`,
    [runId],
  );
  return Math.max(0, row?.left ?? 0);
}
