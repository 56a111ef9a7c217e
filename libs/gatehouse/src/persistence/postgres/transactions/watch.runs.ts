import type { Watching, WatchEnd, WatchRelease } from '../../../contracts/ports/run.store.js';
import { isUuid } from '../../../values/ids.js';
import type { Sql } from '../sql.js';

const SOON = `clock_timestamp() + $2 * interval '1 millisecond'`;

/** Which notes a release replaces, and by what. */
const RELEASES: Readonly<
  Record<WatchRelease, { readonly where: string; readonly until: string; readonly end: string }>
> = {
  cut: { where: 'watched_until IS NOT NULL', until: SOON, end: `'cut'` },
  // A silence that has come already is somebody else's; so is an end.
  gone: { where: 'watched_until >= clock_timestamp() AND watched_end IS NULL', until: SOON, end: `'gone'` },
  left: {
    where: 'true',
    until: `CASE WHEN watched_end IS NULL THEN least(watched_until, ${SOON}) ELSE ${SOON} END`,
    end: 'NULL',
  },
};

/** Notes that somebody watches these runs under way. Locked in the order of their ids, like every other transaction that locks several. */
export async function watchRuns(
  sql: Sql,
  runIds: readonly string[],
  forMs: number,
  only?: 'noted',
): Promise<readonly string[]> {
  const noted = await sql.rows<{ id: string }>(
    `WITH watched AS (
        SELECT id FROM ${sql.tables.run} WHERE id = ANY($1::uuid[]) AND status IN ('queued', 'running')
          ${only === 'noted' ? 'AND watched_until IS NOT NULL' : ''} ORDER BY id FOR NO KEY UPDATE)
      UPDATE ${sql.tables.run} r SET watched_end = NULL,
        watched_until = CASE WHEN watched_end IS NULL THEN greatest(watched_until, ${SOON}) ELSE ${SOON} END
      FROM watched WHERE r.id = watched.id RETURNING r.id`,
    [runIds.filter(isUuid), forMs],
  );
  return noted.map(({ id }) => id);
}

/** Notes how somebody ended who watched these runs; others that watch have so long to say so again. */
export async function unwatchRuns(
  sql: Sql,
  runIds: readonly string[],
  release: WatchRelease,
  forMs: number,
): Promise<void> {
  const { where, until, end } = RELEASES[release];
  await sql.run(
    `WITH watched AS (
        SELECT id FROM ${sql.tables.run} WHERE id = ANY($1::uuid[]) AND status IN ('queued', 'running') AND ${where}
        ORDER BY id FOR NO KEY UPDATE)
      UPDATE ${sql.tables.run} r SET watched_until = ${until}, watched_end = ${end} FROM watched WHERE r.id = watched.id`,
    [runIds.filter(isUuid), forMs],
  );
}

interface WatchingRow {
  readonly until: Date;
  readonly left: number;
  readonly ended: WatchEnd | null;
}

/** What is known of who watches. */
export async function watching(sql: Sql, runId: string): Promise<Watching | undefined> {
  const row = await sql.row<WatchingRow>(
    `SELECT watched_until AS until, watched_end AS ended,
        ceil(extract(epoch FROM watched_until - clock_timestamp()) * 1000)::double precision AS left
      FROM ${sql.tables.run} WHERE id = $1 AND watched_until IS NOT NULL`,
    [runId],
  );
  if (row === undefined) return undefined;
  const { until, left, ended } = row;
  const note = `${until.toISOString()} ${ended ?? 'watched'}`;
  return { note, forMs: Math.max(0, left), ...(ended === null ? {} : { ended }) };
}
