import type { StoredDeferral } from '../../../contracts/ports/stored.deferral.js';
import { storedDeferral } from '../rows/deferral.rows.js';
import type { Sql } from '../sql.js';
import type { DeferralRow } from '../tables/deferral.tables.js';
import { hasPending } from './approval.writes.js';

/** The calls that a run handed on, oldest first. */
export async function deferralsOfRun(sql: Sql, runId: string): Promise<StoredDeferral[]> {
  const rows = await sql.rows<DeferralRow>(
    `SELECT * FROM ${sql.tables.deferral} WHERE run_id = $1 ORDER BY requested_at, operation_id`,
    [runId],
  );
  return rows.map(storedDeferral);
}

/** Whether the run waits for somebody: for a person's decision, or for the result of a call that was handed on. */
export async function waitsForSomebody(sql: Sql, runId: string): Promise<boolean> {
  if (await hasPending(sql, runId)) return true;
  const open = await sql.row(`SELECT FROM ${sql.tables.deferral} WHERE run_id = $1 AND status = 'open' LIMIT 1`, [
    runId,
  ]);
  return open !== undefined;
}

/** Of a run that ends: nobody's result is waited for any more. Its row is locked. */
export async function closeDeferrals(sql: Sql, runId: string): Promise<void> {
  await sql.run(`UPDATE ${sql.tables.deferral} SET status = 'closed' WHERE run_id = $1 AND status = 'open'`, [runId]);
}

/** The condition on a run `r` that it waits for nobody. */
export const waitsForNobody = ({ tables }: Sql): string =>
  `NOT EXISTS (SELECT FROM ${tables.approval} a WHERE a.run_id = r.id AND a.status = 'pending')
    AND NOT EXISTS (SELECT FROM ${tables.deferral} d WHERE d.run_id = r.id AND d.status = 'open')`;
