import type {
  Ownership,
  Requeue,
  RequeueResult,
  TakeOver,
  TakeOverResult,
} from '../../../contracts/ports/run.store.js';
import type { StoredStep } from '../../../contracts/ports/stored.step.js';
import { NewerCheckpointError } from '../../../contracts/errors/newer-checkpoint.error.js';
import { isUuid, newId } from '../../../values/ids.js';
import { storableName } from '../../storable/storable.run.js';
import type { Database } from '../database.js';
import { keptCancel } from '../../stored.cancel.js';
import { bodyOf } from '../../checkpoint/checkpoint.body.js';
import { CHECKPOINT_VERSION } from '../../checkpoint/checkpoint.version.js';
import { present } from '../rows/json.text.js';
import { runNamed, storedRun } from '../rows/run.rows.js';
import type { Sql } from '../sql.js';
import type { RunRow, SegmentRow } from '../tables/run.tables.js';
import { approvalsOfRun, closeApprovals, lockApprovals } from '../writes/approval.writes.js';
import { closeDeferrals, deferralsOfRun, waitsForSomebody } from '../writes/deferral.writes.js';
import { lockRun, writeFrames } from '../writes/run.writes.js';

/** Takes a suspended or queued run, or says why not. */
export async function takeOver(database: Database, take: TakeOver, ownership: Ownership): Promise<TakeOverResult> {
  const segment = storableName(take.segment, 'segment');
  if (!isUuid(take.runId)) return { refused: 'unknown' };
  const token = take.token ?? newId();
  return database.transaction('take over the run', async (sql) => {
    const run = await lockRun(sql, take.runId);
    if (run === undefined) return { refused: 'unknown' };
    // The answer to our own first attempt was lost, the run was not.
    if (await wasTaken(sql, run, token)) return taken(sql, run, token);
    refuseNewer(run);
    const queued = run.status === 'queued';
    if (!queued && (run.status !== 'suspended' || take.only !== undefined)) return { refused: 'not-suspended' };
    await lockOpenApprovals(sql, run.id);
    if (take.purpose === 'resume' && (await waitsForSomebody(sql, run.id))) return { refused: 'pending' };
    const opened = queued ? await keepSegment(sql, run, token) : await openSegment(sql, run, segment, token);
    if (!opened) return { refused: 'segment' };
    if (take.purpose === 'end') {
      await closeApprovals(sql, run.id, take.openBecome ?? 'cancelled');
      await closeDeferrals(sql, run.id);
    }
    return taken(sql, await own(sql, take, ownership), token);
  });
}

/** What this process cannot read it must not own: the run stays as it is, for a replica that can. */
function refuseNewer({ id, status, checkpoint_version: version }: RunRow): void {
  const mayBeTaken = status === 'suspended' || status === 'queued';
  if (mayBeTaken && version > CHECKPOINT_VERSION) throw new NewerCheckpointError(runNamed(id), version);
}

async function wasTaken(sql: Sql, run: RunRow, token: string): Promise<boolean> {
  return run.status === 'running' && isSigned(sql, run, token);
}

async function isSigned(sql: Sql, run: RunRow, token: string): Promise<boolean> {
  return (
    (await sql.row(`SELECT FROM ${sql.tables.segment} WHERE run_id = $1 AND token = $2`, [run.id, token])) !== undefined
  );
}

async function lockOpenApprovals(sql: Sql, runId: string): Promise<void> {
  const open = await sql.rows<{ id: string }>(
    `SELECT id FROM ${sql.tables.approval} WHERE run_id = $1 AND status IN ('pending', 'approved', 'executing')`,
    [runId],
  );
  const ids = open.map(({ id }) => id);
  await lockApprovals(sql, ids);
}

/** The segment that was opened when the run was queued: whoever takes it over goes on in it. */
async function keepSegment(sql: Sql, run: RunRow, token: string): Promise<boolean> {
  await sql.run(
    `UPDATE ${sql.tables.segment} SET token = $2 WHERE run_id = $1
      AND first_seq = (SELECT max(first_seq) FROM ${sql.tables.segment} WHERE run_id = $1)`,
    [run.id, token],
  );
  return true;
}

async function openSegment(sql: Sql, run: RunRow, segment: string, token: string): Promise<boolean> {
  const opened = await sql.row(
    `INSERT INTO ${sql.tables.segment} (owner_key, segment, run_id, first_seq, token) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING RETURNING run_id`,
    [run.owner_key, segment, run.id, run.last_seq + 1, token],
  );
  return opened !== undefined;
}

/** With the wish to end it, where that is what for: whoever finds it after this process was lost must not let it wait. */
async function own(sql: Sql, take: TakeOver, { owner, leaseMs }: Ownership): Promise<RunRow> {
  const { source = null, reason = null } = keptCancel(take) ?? {};
  const [row] = await sql.rows<RunRow>(
    `UPDATE ${sql.tables.run} SET status = 'running', epoch = epoch + 1, owner = $2, checkpoint_version = $4,
        lease_until = clock_timestamp() + $3 * interval '1 millisecond',
        cancel_source = coalesce(cancel_source, $5), cancel_reason = CASE WHEN cancel_source IS NULL THEN $6 ELSE cancel_reason END
      WHERE id = $1 RETURNING *`,
    [take.runId, owner, leaseMs, CHECKPOINT_VERSION, source, reason],
  );
  if (row === undefined) throw new TypeError(`The row of run ${take.runId} is locked and cannot be gone.`);
  return row;
}

async function taken(sql: Sql, run: RunRow, token: string): Promise<TakeOverResult> {
  const step = await sql.row<{ body: string }>(
    `SELECT body FROM ${sql.tables.step} WHERE run_id = $1 ORDER BY step DESC LIMIT 1`,
    [run.id],
  );
  return {
    taken: storedRun(run),
    ...present({ open: await openBefore(sql, run, token) }),
    ...(step === undefined ? {} : { step: bodyOf<StoredStep>('step', step.body, runNamed(run.id)) }),
    approvals: await approvalsOfRun(sql, run.id),
    deferrals: await deferralsOfRun(sql, run.id),
  };
}

/** A segment that begins after the last frame was opened by this very take-over; one that begins before it was open already. */
async function openBefore(sql: Sql, run: RunRow, token: string): Promise<{ segment: string; firstSeq: number } | null> {
  const row = await sql.row<Pick<SegmentRow, 'segment' | 'first_seq'>>(
    `SELECT segment, first_seq FROM ${sql.tables.segment} WHERE run_id = $1 AND token = $2 AND first_seq <= $3`,
    [run.id, token, run.last_seq],
  );
  return row === undefined ? null : { segment: row.segment, firstSeq: row.first_seq };
}

/** Queues a suspended run that waits for nobody, in a new segment. */
export async function requeue(
  database: Database,
  { runId, started, startWithinMs, ...given }: Requeue,
): Promise<RequeueResult> {
  const segment = storableName(given.segment, 'segment');
  if (!isUuid(runId)) return { refused: 'unknown' };
  const token = given.token ?? newId();
  return database.transaction('queue the run again', async (sql) => {
    const run = await lockRun(sql, runId);
    if (run === undefined) return { refused: 'unknown' };
    if (run.status === 'queued' && (await isSigned(sql, run, token))) return { queued: storedRun(run) };
    if (run.status !== 'suspended') return { refused: 'not-suspended' };
    await lockOpenApprovals(sql, run.id);
    if (await waitsForSomebody(sql, run.id)) return { refused: 'pending' };
    if (!(await openSegment(sql, run, segment, token))) return { refused: 'segment' };
    await writeFrames(sql, run.id, [{ seq: run.last_seq + 1, event: started }]);
    const row = await sql.row<RunRow>(
      `UPDATE ${sql.tables.run} SET status = 'queued', owner = NULL, last_seq = last_seq + 1,
          lease_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE id = $1 RETURNING *`,
      [run.id, startWithinMs],
    );
    return { queued: storedRun(row ?? run) };
  });
}
