import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import type { Requeue } from '../../contracts/ports/run.store.js';
import type { NewRun, StoredRun } from '../../contracts/ports/stored.run.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { aRun, anEnding, ME, OTHER, startedFrame, textFrames, yes } from './store.samples.js';
import { fenceOf, resume, suspended } from './store.scenes.js';
import type { Opened, StoreUnderTest } from './tested.store.js';

const OWNER = { organizationId: 'acme', principalId: 'ann' };
const SOON = { startWithinMs: 1000 };

async function queued({ store }: StoreUnderTest, changes: Partial<NewRun> = {}): Promise<StoredRun> {
  const run = aRun(changes);
  const result = await store.startRun(run, [], [startedFrame(run)], SOON);
  if ('refused' in result) throw new Error(`The run was refused: ${result.refused}`);
  return result.started;
}

const again = ({ id, threadId }: StoredRun, segment = newId()): Requeue => ({
  runId: id,
  segment,
  started: { type: 'run.started', runId: id, threadId, segment },
  token: newId(),
  ...SOON,
});

export function describeQueue(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('a queued run', () => {
    it('belongs to nobody, and occupies its thread', async () => {
      const { store, reader } = opened();
      const run = await queued(opened());
      expect(await reader.run(run.id)).toMatchObject({ status: 'queued', epoch: 0, owner: null, lastSeq: 1 });
      expect(await store.startRun(aRun({ threadId: run.threadId }), [], [], ME)).toEqual({
        refused: 'busy',
        runId: run.id,
      });
    });

    it('is taken over once, at epoch 1, in the segment that is open already', async () => {
      const { store, reader } = opened();
      const run = await queued(opened());
      const take = resume(run.id);
      const [first, second] = await Promise.all([store.takeOver(take, ME), store.takeOver(resume(run.id), OTHER)]);
      const [won, lost] = 'taken' in first ? [first, second] : [second, first];
      expect(won).toMatchObject({
        taken: { id: run.id, status: 'running', epoch: 1 },
        open: { segment: run.segment, firstSeq: 1 },
        approvals: [],
      });
      expect(lost).toEqual({ refused: 'not-suspended' });
      expect(await reader.segment(OWNER, take.segment)).toBeUndefined();
      await store.appendFrames({ runId: run.id, epoch: 1 }, textFrames(2));
      await expect(store.appendFrames(fenceOf(run), textFrames(3))).rejects.toThrow(LeaseLostError);
    });

    it('is ended without ever having run', async () => {
      const { store, reader } = opened();
      const run = await queued(opened());
      const cancel = { source: 'lease lost', reason: '' } as const;
      const end = { runId: run.id, purpose: 'end', segment: newId(), only: 'queued', cancel } as const;
      expect(await store.takeOver(end, ME)).toMatchObject({
        taken: { epoch: 1, cancelRequested: cancel },
        open: { segment: run.segment },
      });
      expect(await store.finish({ runId: run.id, epoch: 1 }, anEnding(run), textFrames(2))).toBe(true);
      expect(await store.takeOver(resume(run.id), ME)).toEqual({ refused: 'not-suspended' });
      expect((await reader.run(run.id))?.status).toBe('completed');
    });

    it('is no orphan and not ready; the sweep names it as queued, and as overdue once its time is over', async () => {
      const { store, moveTime } = opened();
      const run = await queued(opened());
      const first = await store.sweep(ME);
      expect([first.queued.includes(run.id), first.overdue.includes(run.id)]).toEqual([true, false]);
      await moveTime(1001);
      const { orphans, ready, queued: still, overdue } = await store.sweep(ME);
      expect([still.includes(run.id), overdue.includes(run.id)]).toEqual([false, true]);
      expect([...orphans.map(({ id }) => id), ...ready]).not.toContain(run.id);
      await store.takeOver(resume(run.id), ME);
      expect((await store.sweep(ME)).overdue).not.toContain(run.id);
    });

    it('is asked for with the same start twice, and is one', async () => {
      const { store } = opened();
      const run = aRun();
      const first = await store.startRun(run, [], [startedFrame(run)], SOON);
      expect(await store.startRun(aRun({ id: run.id, digestKey: 'b3RoZXI' }), [], [], SOON)).toEqual({
        refused: 'run',
        runId: run.id,
      });
      expect(first).toMatchObject({ started: { id: run.id, status: 'queued' } });
    });
  });

  describe('queueing a suspended run again', () => {
    it('says its start in a new segment, and whoever takes it over gets its step and its approvals', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await suspended(opened());
      await store.vote([yes(approvalId)]);
      const requeue = again(run);
      const result = await store.requeue(requeue);
      expect(result).toMatchObject({ queued: { status: 'queued', epoch: 1, owner: null, lastSeq: 3 } });
      expect((await reader.frames(run.id, 2, 10)).frames).toEqual([{ seq: 3, event: requeue.started }]);
      expect(await reader.segment(OWNER, requeue.segment)).toEqual({ runId: run.id, firstSeq: 3 });
      expect(await store.takeOver(resume(run.id), OTHER)).toEqual({
        taken: await reader.run(run.id),
        step: await reader.lastStep(run.id),
        approvals: [await reader.approval(approvalId)],
        deferrals: [],
        open: { segment: requeue.segment, firstSeq: 3 },
      });
      expect(await reader.run(run.id)).toMatchObject({ status: 'running', epoch: 2, owner: 'process-2' });
    });

    it('is refused while somebody is waited for, for what does not wait, and for a segment that was used before', async () => {
      const { store } = opened();
      const { run, approvalId } = await suspended(opened());
      expect(await store.requeue(again(run))).toEqual({ refused: 'pending' });
      await store.vote([yes(approvalId)]);
      expect(await store.requeue(again(run, run.segment))).toEqual({ refused: 'segment' });
      const end = { runId: run.id, purpose: 'end', segment: newId(), only: 'queued' } as const;
      expect(await store.takeOver(end, ME)).toEqual({ refused: 'not-suspended' });
      await store.requeue(again(run));
      expect(await store.requeue(again(run))).toEqual({ refused: 'not-suspended' });
      expect(await store.requeue({ ...again(run), runId: newId() })).toEqual({ refused: 'unknown' });
      expect(await store.requeue({ ...again(run), runId: 'no-id' })).toEqual({ refused: 'unknown' });
    });

    it('to end it, closes what was approved', async () => {
      const { store } = opened();
      const { run, approvalId } = await suspended(opened());
      await store.vote([yes(approvalId)]);
      await store.requeue(again(run));
      const end = { runId: run.id, purpose: 'end', segment: newId() } as const;
      expect(await store.takeOver(end, ME)).toMatchObject({ approvals: [{ id: approvalId, status: 'cancelled' }] });
    });
  });
}
