import type { Fence } from '../../contracts/ports/run.fence.js';
import type { NewApproval } from '../../contracts/ports/stored.approval.js';
import type { NewRun, StoredRun } from '../../contracts/ports/stored.run.js';
import { newId } from '../../values/ids.js';
import { aRun, aStep, anApproval, ME, progress, startedFrame } from './store.samples.js';
import type { StoreUnderTest } from './tested.store.js';

/** A running run with its first frame. */
export async function running(test: StoreUnderTest, changes: Partial<NewRun> = {}, owner = ME): Promise<StoredRun> {
  const run = aRun(changes);
  const result = await test.store.startRun(run, [], [startedFrame(run)], owner);
  if ('refused' in result) throw new Error(`The run was refused: ${result.refused}`);
  return result.started;
}

export const fenceOf = ({ id, epoch }: StoredRun): Fence => ({ runId: id, epoch });

/** A running run that waits for one approval. */
export async function waiting(
  test: StoreUnderTest,
  changes: Partial<NewApproval> = {},
  owner = ME,
): Promise<{ readonly run: StoredRun; readonly approvalId: string }> {
  const run = await running(test, {}, owner);
  const approval = await test.store.requestApproval(fenceOf(run), anApproval(run, changes));
  return { run, approvalId: approval.id };
}

/** A suspended run that waits for one approval. */
export async function suspended(
  test: StoreUnderTest,
  changes: Partial<NewApproval> = {},
): Promise<{ readonly run: StoredRun; readonly approvalId: string }> {
  const waits = await waiting(test, changes);
  await suspendNow(test, waits.run);
  return waits;
}

export async function suspendNow(test: StoreUnderTest, run: StoredRun): Promise<'suspended' | 'decided'> {
  return test.store.suspend(fenceOf(run), progress(aStep(run)), [
    { seq: run.lastSeq + 1, event: { type: 'run.suspended', segment: run.segment, approvals: [] } },
  ]);
}

/** Takes a run over to go on, under a fresh segment name. */
export const resume = (runId: string): { runId: string; purpose: 'resume'; segment: string } => ({
  runId,
  purpose: 'resume',
  segment: newId(),
});

/** A claim of what `anApproval` asks for. */
export const claimOf = (
  approvalId: string,
  claimToken = 'token-1',
): Record<'approvalId' | 'argumentsDigest' | 'claimToken', string> => ({
  approvalId,
  argumentsDigest: 'digest-1',
  claimToken,
});
