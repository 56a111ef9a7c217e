import { LeaseLostError } from '../../../contracts/errors/lease-lost.error.js';
import type { Fence } from '../../../contracts/ports/run.fence.js';
import type { StepProgress } from '../../../contracts/ports/run.store.js';
import type { RunFrame } from '../../../contracts/run.events.js';
import { bodyText } from '../../checkpoint/checkpoint.body.js';
import { storedCancel } from '../../stored.cancel.js';
import type { Sql } from '../sql.js';
import { withdrawApprovals } from '../writes/approval.writes.js';
import { waitsForSomebody } from '../writes/deferral.writes.js';
import { lastSeq, lockRun, writeProgress } from '../writes/run.writes.js';

/** Lets a run wait; where nobody is waited for any more it stays with its owner. */
export async function suspendRun(
  sql: Sql,
  fence: Fence,
  progress: StepProgress,
  frames: readonly RunFrame[],
): Promise<'suspended' | 'decided'> {
  const run = await lockRun(sql, fence.runId);
  if (run === undefined || run.epoch !== fence.epoch) throw new LeaseLostError(fence.runId);
  // Nobody else suspends at our epoch: the answer to our own first attempt was lost.
  if (run.status === 'suspended') return 'suspended';
  if (run.status !== 'running') throw new LeaseLostError(fence.runId);
  if (run.cancel_source !== null) throw storedCancel(run.cancel_source, run.cancel_reason ?? '');
  if (!(await waitsForSomebody(sql, run.id))) return 'decided';
  await sql.run(
    `UPDATE ${sql.tables.run} SET status = 'suspended', lease_until = NULL, watched_until = NULL, watched_end = NULL, state = $2, counters = $3,
        step = greatest(step, $4), last_seq = greatest(last_seq, $5) WHERE id = $1`,
    [run.id, ...bodiesOf(progress), progress.step.step, lastSeq(frames)],
  );
  await withdrawApprovals(sql, run.id, progress.step);
  await writeProgress(sql, run.id, run.thread_id, progress, frames);
  return 'suspended';
}

const bodiesOf = ({ state, counters }: StepProgress): readonly string[] => [bodyText(state), bodyText(counters)];

/** Lets a run wait again that a lost process was resuming. */
export async function giveRunBack(
  sql: Sql,
  fence: Fence,
  frames: readonly RunFrame[],
  progress?: StepProgress,
): Promise<void> {
  const run = await lockRun(sql, fence.runId);
  if (run === undefined || run.epoch !== fence.epoch) throw new LeaseLostError(fence.runId);
  // Nobody else lets it wait at our epoch: the answer to our own first attempt was lost.
  if (run.status === 'suspended') return;
  if (run.status !== 'running') throw new LeaseLostError(fence.runId);
  if (run.cancel_source !== null) throw storedCancel(run.cancel_source, run.cancel_reason ?? '');
  await sql.run(
    `UPDATE ${sql.tables.run} SET status = 'suspended', lease_until = NULL, watched_until = NULL, watched_end = NULL, last_seq = greatest(last_seq, $2),
        state = coalesce($3, state), counters = coalesce($4, counters) WHERE id = $1`,
    [run.id, lastSeq(frames), ...(progress === undefined ? [null, null] : bodiesOf(progress))],
  );
  if (progress !== undefined) await withdrawApprovals(sql, run.id, progress.step);
  const beside = progress ?? { messages: [], operations: [] };
  await writeProgress(sql, run.id, run.thread_id, beside, frames);
}
