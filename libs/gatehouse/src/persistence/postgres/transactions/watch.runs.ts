import type { Watching, WatchEnd, WatchRelease } from '../../../contracts/ports/run.store.js';
import { isUuid } from '../../../values/ids.js';
import { MARK_HOURS } from '../../watch.marks.js';
import type { Sql } from '../sql.js';

const GONE = `interval '${MARK_HOURS.gone} hours'`;
const CUT = `interval '${MARK_HOURS.cut} hours'`;
/** Marked instants lie centuries behind these, unmarked ones before them. */
const isMarked = 'watched_until > clock_timestamp() + ' + `interval '${MARK_HOURS.gone / 2} hours'`;
const isCut = 'watched_until > clock_timestamp() + ' + `interval '${(MARK_HOURS.gone + MARK_HOURS.cut) / 2} hours'`;
const SOON = `clock_timestamp() + $2 * interval '1 millisecond'`;

/** Which notes a release replaces, and by what. */
const RELEASES: Readonly<Record<WatchRelease, { readonly where: string; readonly until: string }>> = {
  cut: { where: 'watched_until IS NOT NULL', until: `${SOON} + ${CUT}` },
  // A silence that has come already is somebody else's; so is a mark.
  gone: { where: `watched_until >= clock_timestamp() AND NOT ${isMarked}`, until: `${SOON} + ${GONE}` },
  left: { where: 'true', until: `least(watched_until, ${SOON})` },
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
      UPDATE ${sql.tables.run} r SET watched_until = CASE WHEN ${isMarked} THEN ${SOON} ELSE greatest(watched_until, ${SOON}) END
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
  const { where, until } = RELEASES[release];
  await sql.run(
    `WITH watched AS (
        SELECT id FROM ${sql.tables.run} WHERE id = ANY($1::uuid[]) AND status IN ('queued', 'running') AND ${where}
        ORDER BY id FOR NO KEY UPDATE)
      UPDATE ${sql.tables.run} r SET watched_until = ${until} FROM watched WHERE r.id = watched.id`,
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
    `SELECT until, ended, ceil(extract(epoch FROM until - clock_timestamp()
          - CASE ended WHEN 'cut' THEN ${CUT} WHEN 'gone' THEN ${GONE} ELSE interval '0' END) * 1000)::double precision AS left
      FROM (SELECT watched_until AS until, CASE WHEN ${isCut} THEN 'cut' WHEN ${isMarked} THEN 'gone' END AS ended
        FROM ${sql.tables.run} WHERE id = $1 AND watched_until IS NOT NULL) AS noted`,
    [runId],
  );
  if (row === undefined) return undefined;
  const { until, left, ended } = row;
  return { note: until.getTime(), forMs: Math.max(0, left), ...(ended === null ? {} : { ended }) };
}
