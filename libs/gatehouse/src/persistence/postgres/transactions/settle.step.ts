import { LeaseLostError } from '../../../contracts/errors/lease-lost.error.js';
import type { Fence } from '../../../contracts/ports/run.fence.js';
import type { StepProgress } from '../../../contracts/ports/run.store.js';
import type { RunFrame } from '../../../contracts/run.events.js';
import { bodyText } from '../../checkpoint/checkpoint.body.js';
import type { Sql } from '../sql.js';
import { withdrawApprovals } from '../writes/approval.writes.js';
import { lastSeq, writeProgress } from '../writes/run.writes.js';

/** What a settled step changed. */
export async function settleStep(
  sql: Sql,
  fence: Fence,
  progress: StepProgress,
  frames: readonly RunFrame[],
): Promise<void> {
  const run = await sql.row<{ thread_id: string }>(
    `UPDATE ${sql.tables.run} SET state = $3, counters = $4, step = greatest(step, $5), last_seq = greatest(last_seq, $6)
      WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING thread_id`,
    [
      fence.runId,
      fence.epoch,
      bodyText(progress.state),
      bodyText(progress.counters),
      progress.step.step,
      lastSeq(frames),
    ],
  );
  if (run === undefined) throw new LeaseLostError(fence.runId);
  await withdrawApprovals(sql, fence.runId, progress.step);
  await writeProgress(sql, fence.runId, run.thread_id, progress, frames);
}
