import type { StoredApproval } from '../../../contracts/ports/stored.approval.js';
import type { StoredStep } from '../../../contracts/ports/stored.step.js';
import { redirectedOperations } from '../../withdrawn.operations.js';
import { selectApprovals, storedApproval, type FullApprovalRow } from '../rows/approval.rows.js';
import type { Sql } from '../sql.js';

/**
 * Locks approvals in the order of their ids, then, in a second statement, marks those nobody answered or started in time. What is still
 * pending afterwards can be decided: its row is locked, and its deadline had not passed.
 */
export async function lockApprovals(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.run(`SELECT id FROM ${sql.tables.approval} WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE`, [ids]);
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'expired', decided_at = coalesce(decided_at, clock_timestamp())
      WHERE id = ANY($1::uuid[]) AND ${OVERDUE}`,
    [ids],
  );
}

/** What nobody answered, or nobody started, in time. */
export const OVERDUE = `(status = 'pending' AND expires_at <= clock_timestamp()
  OR status = 'approved' AND execute_before <= clock_timestamp())`;

/** The approvals with these ids, by id. */
export async function readApprovals(sql: Sql, ids: readonly string[]): Promise<FullApprovalRow[]> {
  return sql.rows<FullApprovalRow>(`${selectApprovals(sql.tables)} WHERE a.id = ANY($1::uuid[]) ORDER BY a.id`, [ids]);
}

/** The approvals of a run, oldest first. */
export async function approvalsOfRun(sql: Sql, runId: string): Promise<StoredApproval[]> {
  const rows = await sql.rows<FullApprovalRow>(`${selectApprovals(sql.tables)} WHERE a.run_id = $1 ORDER BY a.id`, [
    runId,
  ]);
  return rows.map(storedApproval);
}

/** Whether the run waits for somebody. */
export async function hasPending(sql: Sql, runId: string): Promise<boolean> {
  const found = await sql.row(`SELECT FROM ${sql.tables.approval} WHERE run_id = $1 AND status = 'pending' LIMIT 1`, [
    runId,
  ]);
  return found !== undefined;
}

/** Of a step that settles: what was approved for a call that was redirected. The run's row is locked. */
export async function withdrawApprovals(sql: Sql, runId: string, step: StoredStep): Promise<void> {
  const over = redirectedOperations(step);
  if (over.length === 0) return;
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'superseded' WHERE run_id = $1 AND status = 'approved' AND operation_id = ANY($2::uuid[])`,
    [runId, over],
  );
}

/** Of a run that ends: what waits becomes `openBecome`, what was claimed without an outcome is unknown. Its row is locked. */
export async function closeApprovals(sql: Sql, runId: string, openBecome: 'cancelled' | 'superseded'): Promise<void> {
  await sql.run(
    `UPDATE ${sql.tables.approval} SET
        status = CASE status WHEN 'executing' THEN 'unknown' ELSE $2 END,
        decided_at = coalesce(decided_at, clock_timestamp())
      WHERE run_id = $1 AND status IN ('pending', 'approved', 'executing')`,
    [runId, openBecome],
  );
}
