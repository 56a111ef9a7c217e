import type { Client } from 'pg';
import type { LedgerRecord } from '../../../../contracts/ledger.js';
import type { TableNames } from '../../table.names.js';

/** Whose traces were erased, of what happened until when. What waits outside the log is taken for an erasure as `judged` does. */
export async function readErasures(
  client: Client,
  { log, outbox }: TableNames,
): Promise<readonly Pick<LedgerRecord, 'at' | 'principalId' | 'runId'>[]> {
  const erased = (table: string): string => `SELECT at, principal_id, run_id FROM ${table} WHERE kind = 'erased'`;
  const { rows } = await client.query<{ at: Date; principal_id: string | null; run_id: string | null }>(
    `${erased(log)} UNION ALL ${erased(outbox)} AND at < now() + interval '1 minute'`,
  );
  return rows.map(({ at, principal_id, run_id }) => ({ at, principalId: principal_id, runId: run_id }));
}
