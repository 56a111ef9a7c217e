import { LeaseLostError } from '../../../contracts/errors/lease-lost.error.js';
import type { Fence } from '../../../contracts/ports/run.fence.js';
import type { RunEnding } from '../../../contracts/ports/run.store.js';
import type { RunFrame } from '../../../contracts/run.events.js';
import { bodyText } from '../../checkpoint/checkpoint.body.js';
import type { Sql } from '../sql.js';
import { closeApprovals } from '../writes/approval.writes.js';
import { closeDeferrals } from '../writes/deferral.writes.js';
import { writeEnd } from '../ledger/fact.writes.js';
import { lastSeq, lockRun, writeProgress } from '../writes/run.writes.js';

/** The end of a run; false when it had already ended otherwise. */
export async function finishRun(
  sql: Sql,
  fence: Fence,
  ending: RunEnding,
  frames: readonly RunFrame[],
): Promise<boolean> {
  const run = await lockRun(sql, fence.runId);
  if (run !== undefined && run.finished_at !== null) return isRecorded(sql, ending.record.id);
  if (run === undefined || run.epoch !== fence.epoch || run.status !== 'running') throw new LeaseLostError(fence.runId);
  await sql.run(
    `UPDATE ${sql.tables.run} SET status = $2, finished_at = clock_timestamp(), owner = NULL, lease_until = NULL, state = $3, counters = $4,
        step = greatest(step, $5), last_seq = greatest(last_seq, $6) WHERE id = $1`,
    [
      run.id,
      ending.record.status,
      bodyText(ending.state),
      bodyText(ending.counters),
      ending.step?.step ?? 0,
      lastSeq(frames),
    ],
  );
  await closeApprovals(sql, run.id, ending.openBecome ?? 'cancelled');
  await closeDeferrals(sql, run.id);
  await writeProgress(sql, run.id, run.thread_id, ending, frames);
  await writeEnd(sql, ending.record, ending.audit);
  return true;
}

async function isRecorded(sql: Sql, recordId: string): Promise<boolean> {
  const found = await sql.row(
    `SELECT FROM ${sql.tables.outbox} WHERE id = $1 UNION ALL SELECT FROM ${sql.tables.log} WHERE id = $1 LIMIT 1`,
    [recordId],
  );
  return found !== undefined;
}
