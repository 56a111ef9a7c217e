import type { Ownership, TakeOver, TakeOverResult } from '../../../contracts/ports/run.store.js';
import type { StoredStep } from '../../../contracts/ports/stored.step.js';
import { isUuid, newId } from '../../../values/ids.js';
import { storableName } from '../../storable/storable.run.js';
import type { Database } from '../database.js';
import { parsed } from '../rows/json.text.js';
import { storedRun } from '../rows/run.rows.js';
import type { Sql } from '../sql.js';
import type { RunRow } from '../tables/run.tables.js';
import { approvalsOfRun, closeApprovals, hasPending, lockApprovals } from '../writes/approval.writes.js';
import { lockRun } from '../writes/run.writes.js';

/** Takes a suspended run, or says why not. */
export async function takeOver(database: Database, take: TakeOver, ownership: Ownership): Promise<TakeOverResult> {
  const segment = storableName(take.segment, 'segment');
  if (!isUuid(take.runId)) return { refused: 'unknown' };
  const token = take.token ?? newId();
  return database.transaction('take over the run', async (sql) => {
    const run = await lockRun(sql, take.runId);
    if (run === undefined) return { refused: 'unknown' };
    // The answer to our own first attempt was lost, the run was not.
    if (await wasTaken(sql, run, token)) return taken(sql, run);
    if (run.status !== 'suspended') return { refused: 'not-suspended' };
    await lockOpenApprovals(sql, run.id);
    if (take.purpose === 'resume' && (await hasPending(sql, run.id))) return { refused: 'pending' };
    if (!(await openSegment(sql, run, segment, token))) return { refused: 'segment' };
    if (take.purpose === 'end') await closeApprovals(sql, run.id, take.openBecome ?? 'cancelled');
    return taken(sql, await own(sql, run.id, ownership));
  });
}

async function wasTaken(sql: Sql, run: RunRow, token: string): Promise<boolean> {
  if (run.status !== 'running') return false;
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

async function openSegment(sql: Sql, run: RunRow, segment: string, token: string): Promise<boolean> {
  const opened = await sql.row(
    `INSERT INTO ${sql.tables.segment} (owner_key, segment, run_id, first_seq, token) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING RETURNING run_id`,
    [run.owner_key, segment, run.id, run.last_seq + 1, token],
  );
  return opened !== undefined;
}

async function own(sql: Sql, runId: string, { owner, leaseMs }: Ownership): Promise<RunRow> {
  const [row] = await sql.rows<RunRow>(
    `UPDATE ${sql.tables.run} SET status = 'running', epoch = epoch + 1, owner = $2,
        lease_until = clock_timestamp() + $3 * interval '1 millisecond' WHERE id = $1 RETURNING *`,
    [runId, owner, leaseMs],
  );
  if (row === undefined) throw new TypeError(`The row of run ${runId} is locked and cannot be gone.`);
  return row;
}

async function taken(sql: Sql, run: RunRow): Promise<TakeOverResult> {
  const step = await sql.row<{ body: string }>(
    `SELECT body FROM ${sql.tables.step} WHERE run_id = $1 ORDER BY step DESC LIMIT 1`,
    [run.id],
  );
  return {
    taken: storedRun(run),
    ...(step === undefined ? {} : { step: parsed<StoredStep>(step.body) }),
    approvals: await approvalsOfRun(sql, run.id),
  };
}
