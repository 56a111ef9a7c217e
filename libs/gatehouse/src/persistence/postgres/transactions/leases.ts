import type { Fence } from '../../../contracts/ports/run.fence.js';
import type { Ownership, Renewal, SweepResult } from '../../../contracts/ports/run.store.js';
import type { StoredRun } from '../../../contracts/ports/stored.run.js';
import { isUuid } from '../../../values/ids.js';
import { CHECKPOINT_VERSION } from '../../checkpoint/checkpoint.version.js';
import { storedRun } from '../rows/run.rows.js';
import type { Sql } from '../sql.js';
import type { RunRow } from '../tables/run.tables.js';
import { OVERDUE } from '../writes/approval.writes.js';
import { waitsForNobody } from '../writes/deferral.writes.js';

// One sweep does no more at once; the next one does the rest.
const ORPHANS = 100;
const READY = 1000;

// What a newer Gatehouse has owned is left to replicas of its version: this one would misread it.
const READABLE = `checkpoint_version <= ${CHECKPOINT_VERSION}`;

type RenewedRow = Pick<RunRow, 'id' | 'epoch' | 'cancel_source' | 'cancel_reason'> & {
  readonly unwatched: boolean | null;
};

/** Renews what is still owned; says what is not, and what somebody wants cancelled. */
export async function renewLeases(sql: Sql, fences: readonly Fence[], { owner, leaseMs }: Ownership): Promise<Renewal> {
  const asked = fences.filter(({ runId }) => isUuid(runId));
  // Locked in the order of their ids, like every other transaction that locks several runs.
  const renewed = await sql.rows<RenewedRow>(
    `WITH mine AS (
        SELECT r.id FROM ${sql.tables.run} r JOIN unnest($1::uuid[], $2::integer[]) AS f(id, epoch) ON f.id = r.id AND f.epoch = r.epoch
        WHERE r.status = 'running' AND r.owner = $3 ORDER BY r.id FOR NO KEY UPDATE OF r)
      UPDATE ${sql.tables.run} r SET lease_until = clock_timestamp() + $4 * interval '1 millisecond' FROM mine WHERE r.id = mine.id
      RETURNING r.id, r.epoch, r.cancel_source, r.cancel_reason, r.watched_end IS NULL AND r.watched_until < clock_timestamp() AS unwatched`,
    [asked.map(({ runId }) => runId), asked.map(({ epoch }) => epoch), owner, leaseMs],
  );
  const kept = new Map(renewed.map((row) => [row.id, row]));
  return {
    lost: fences
      .filter(({ runId, epoch }) => kept.get(runId)?.epoch !== epoch)
      .map(({ runId, epoch }) => ({ runId, epoch })),
    cancels: fences.flatMap(({ runId }) => {
      const row = kept.get(runId);
      return row === undefined || row.cancel_source === null
        ? []
        : [{ runId, source: row.cancel_source, reason: row.cancel_reason ?? '' }];
    }),
    unwatched: renewed.filter(({ unwatched }) => unwatched === true).map(({ id }) => id),
  };
}

/** Marks approvals nobody answered, or nobody started, in time. Rows another transaction works on are left to it. */
export async function expireApprovals(sql: Sql): Promise<void> {
  await sql.run(
    `WITH overdue AS (SELECT id FROM ${sql.tables.approval} WHERE ${OVERDUE} ORDER BY id FOR UPDATE SKIP LOCKED)
      UPDATE ${sql.tables.approval} a SET status = 'expired', decided_at = coalesce(decided_at, clock_timestamp())
      FROM overdue WHERE a.id = overdue.id`,
  );
}

/** Takes over runs whose owner is gone; what they had claimed is unknown. */
export async function takeOrphans(sql: Sql, { owner, leaseMs }: Ownership): Promise<StoredRun[]> {
  const rows = await sql.rows<RunRow>(
    `WITH orphan AS (
        SELECT id FROM ${sql.tables.run} WHERE status = 'running' AND lease_until < clock_timestamp() AND ${READABLE}
        ORDER BY id LIMIT ${ORPHANS} FOR NO KEY UPDATE SKIP LOCKED)
      UPDATE ${sql.tables.run} r SET epoch = epoch + 1, owner = $1, checkpoint_version = ${CHECKPOINT_VERSION},
        lease_until = clock_timestamp() + $2 * interval '1 millisecond'
      FROM orphan WHERE r.id = orphan.id RETURNING r.*`,
    [owner, leaseMs],
  );
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'unknown' WHERE run_id = ANY($1::uuid[]) AND status = 'executing'`,
    [rows.map(({ id }) => id)],
  );
  return rows.map(storedRun);
}

/** Suspended runs that wait for nobody. A local run can go on nowhere but where it lives. */
export async function readyRuns(sql: Sql, { owner }: Ownership): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    `SELECT id FROM ${sql.tables.run} r WHERE status = 'suspended' AND (NOT local OR owner = $1) AND ${READABLE} AND ${waitsForNobody(sql)}
      ORDER BY id LIMIT ${READY}`,
    [owner],
  );
  return rows.map(({ id }) => id);
}

/** Runs that are queued still, and those of them that nobody took in time. */
export async function queuedRuns(sql: Sql): Promise<Pick<SweepResult, 'queued' | 'overdue'>> {
  const rows = await sql.rows<{ id: string; overdue: boolean }>(
    `SELECT id, lease_until < clock_timestamp() AS overdue FROM ${sql.tables.run} WHERE status = 'queued' AND ${READABLE}
      ORDER BY lease_until, id LIMIT ${READY}`,
  );
  return {
    queued: rows.filter(({ overdue }) => !overdue).map(({ id }) => id),
    overdue: rows.filter(({ overdue }) => overdue).map(({ id }) => id),
  };
}

/** Suspended local runs of others that wait for nobody, and were answered a whole lease ago: where they live, they would have gone on. */
export async function strandedRuns(sql: Sql, { owner, leaseMs }: Ownership): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    `SELECT id FROM ${sql.tables.run} r WHERE status = 'suspended' AND local AND owner IS DISTINCT FROM $1 AND ${READABLE} AND ${waitsForNobody(sql)}
        AND NOT EXISTS (SELECT FROM ${sql.tables.approval} a WHERE a.run_id = r.id
          AND a.decided_at > clock_timestamp() - $2 * interval '1 millisecond')
        AND NOT EXISTS (SELECT FROM ${sql.tables.deferral} d WHERE d.run_id = r.id
          AND d.answered_at > clock_timestamp() - $2 * interval '1 millisecond')
      ORDER BY id LIMIT ${ORPHANS}`,
    [owner, leaseMs],
  );
  return rows.map(({ id }) => id);
}
