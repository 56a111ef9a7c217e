import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import { RunCancelledError } from '../../contracts/errors/run-cancelled.error.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anApproval, aStep, counters, ME, OTHER, progress, textFrames, yes } from './store.samples.js';
import { fenceOf, resume, running, suspended, suspendNow, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeTakeOver(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('taking over a suspended run', () => {
    it('hands out the run at its next epoch, its last step and its approvals', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await suspended(opened());
      await store.vote([yes(approvalId)]);
      const take = resume(run.id);
      const result = await store.takeOver(take, OTHER);
      expect(result).toEqual({
        taken: await reader.run(run.id),
        step: await reader.lastStep(run.id),
        approvals: [await reader.approval(approvalId)],
        deferrals: [],
      });
      expect(await reader.run(run.id)).toMatchObject({ status: 'running', epoch: 2, owner: 'process-2', lastSeq: 2 });
      expect(await reader.segment({ organizationId: 'acme', principalId: 'ann' }, take.segment)).toEqual({
        runId: run.id,
        firstSeq: 3,
      });
      expect(await reader.segment({ organizationId: 'acme', principalId: 'ann' }, run.segment)).toEqual({
        runId: run.id,
        firstSeq: 1,
        nextSeq: 3,
      });
      await expect(store.appendFrames(fenceOf(run), textFrames(3))).rejects.toThrow(LeaseLostError);
      await store.appendFrames({ runId: run.id, epoch: 2 }, textFrames(3));
    });

    it('is refused while somebody is waited for', async () => {
      const { store, reader } = opened();
      const { run } = await suspended(opened());
      expect(await store.takeOver(resume(run.id), ME)).toEqual({ refused: 'pending' });
      expect(await reader.run(run.id)).toMatchObject({ status: 'suspended', epoch: 1 });
    });

    it('goes on without those who did not answer in time', async () => {
      const { store, moveTime } = opened();
      const { run } = await suspended(opened());
      await moveTime(60_001);
      expect(await store.takeOver(resume(run.id), ME)).toMatchObject({
        taken: { epoch: 2 },
        approvals: [{ status: 'expired' }],
      });
    });

    it('is refused for what is unknown, running, or has a segment that was used before', async () => {
      const { store } = opened();
      expect(await store.takeOver(resume(newId()), ME)).toEqual({ refused: 'unknown' });
      expect(await store.takeOver(resume('no-id'), ME)).toEqual({ refused: 'unknown' });
      const other = await running(opened());
      expect(await store.takeOver(resume(other.id), ME)).toEqual({ refused: 'not-suspended' });
      const { run, approvalId } = await suspended(opened());
      await store.vote([yes(approvalId)]);
      expect(await store.takeOver({ ...resume(run.id), segment: run.segment }, ME)).toEqual({ refused: 'segment' });
      await expect(store.takeOver({ ...resume(run.id), segment: '' }, ME)).rejects.toThrow(InvalidQueryError);
      const take = resume(run.id);
      expect(await store.takeOver(take, ME)).toMatchObject({ taken: { id: run.id } });
      expect(await store.takeOver(take, ME)).toEqual({ refused: 'not-suspended' });
    });

    it('to end it, closes what is open, whether pending or approved', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await waiting(opened());
      const second = await store.requestApproval(fenceOf(run), anApproval(run));
      await store.vote([yes(second.id)]);
      await suspendNow(opened(), run);
      const end = { runId: run.id, purpose: 'end', segment: newId(), openBecome: 'superseded' } as const;
      expect(await store.takeOver(end, ME)).toMatchObject({
        taken: { epoch: 2 },
        approvals: [{ status: 'superseded' }, { status: 'superseded' }],
      });
      expect(await reader.approval(approvalId)).toMatchObject({
        status: 'superseded',
        decidedBy: [],
        decidedAt: expect.any(Date),
      });
    });

    it('to end it, cancels unless told otherwise', async () => {
      const { store } = opened();
      const { run } = await suspended(opened());
      const end = { runId: run.id, purpose: 'end', segment: newId() } as const;
      expect(await store.takeOver(end, ME)).toMatchObject({ approvals: [{ status: 'cancelled' }] });
    });

    it('to end it, leaves with it that it is to end, and why: it never waits again', async () => {
      const { store, reader, moveTime } = opened();
      const { run } = await suspended(opened());
      const cancel = { source: 'client disconnected', reason: 'gone' } as const;
      const end = { runId: run.id, purpose: 'end', segment: newId(), cancel } as const;
      expect(await store.takeOver(end, ME)).toMatchObject({ taken: { cancelRequested: cancel } });
      await moveTime(ME.leaseMs + 1);
      const { orphans } = await store.sweep(OTHER);
      const found = orphans.find(({ id }) => id === run.id) ?? run;
      expect(found.cancelRequested).toEqual(cancel);
      await expect(store.giveBack(fenceOf(found), again(found))).rejects.toThrow('client disconnected: gone');
      expect(await reader.run(run.id)).toEqual(found);
    });

    it('to end it, is somebody’s request unless said otherwise; to go on with it, is not', async () => {
      const { store } = opened();
      const { run } = await suspended(opened());
      const end = { runId: run.id, purpose: 'end', segment: newId() } as const;
      expect(await store.takeOver(end, ME)).toMatchObject({
        taken: { cancelRequested: { source: 'requested', reason: '' } },
      });
      const other = await suspended(opened());
      await store.vote([yes(other.approvalId)]);
      const result = await store.takeOver(resume(other.run.id), ME);
      expect('taken' in result && result.taken.cancelRequested).toBe(undefined);
    });
  });

  describe('giving a run back', () => {
    it('lets it wait again, once, with its frame; whoever resumes it next gets the same approvals', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await suspended(opened());
      await store.vote([yes(approvalId)]);
      const first = await store.takeOver(resume(run.id), ME);
      if ('refused' in first) throw new Error(first.refused);
      const { taken } = first;
      await store.giveBack(fenceOf(taken), again(taken));
      await store.giveBack(fenceOf(taken), again(taken));
      expect(await reader.run(run.id)).toMatchObject({ status: 'suspended', epoch: 2, lastSeq: taken.lastSeq + 1 });
      expect(await store.takeOver(resume(run.id), OTHER)).toMatchObject({
        taken: { epoch: 3, owner: 'process-2' },
        approvals: [{ id: approvalId, status: 'approved' }],
      });
      await expect(store.giveBack(fenceOf(taken), again(taken))).rejects.toThrow(LeaseLostError);
    });

    it('with what became of the calls beside those that wait: their results, the state, the counters, in the same write', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await suspended(opened());
      await store.vote([yes(approvalId)]);
      const first = await store.takeOver(resume(run.id), ME);
      if ('refused' in first) throw new Error(first.refused);
      const { taken } = first;
      const step = { ...aStep(run), text: 'settled beside' };
      const beside = progress(step, { state: { said: 'so' }, counters: counters(3) });
      await store.giveBack(fenceOf(taken), again(taken), beside);
      await store.giveBack(fenceOf(taken), again(taken), beside);
      expect(await reader.run(run.id)).toMatchObject({
        status: 'suspended',
        state: { said: 'so' },
        counters: { usage: { requests: 3 } },
      });
      expect(await reader.lastStep(run.id)).toEqual(step);
    });

    it('is refused, and nothing written, where somebody wants it cancelled; once it waits that is too late', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await suspended(opened());
      await store.vote([yes(approvalId)]);
      const first = await store.takeOver(resume(run.id), ME);
      if ('refused' in first) throw new Error(first.refused);
      const asked = await store.requestCancel(run.id, 'requested', 'enough');
      const beside = progress({ ...aStep(run), text: 'settled beside' }, { state: { said: 'so' } });
      const refused = store.giveBack(fenceOf(first.taken), again(first.taken), beside);
      await expect(refused).rejects.toThrow(RunCancelledError);
      await expect(refused).rejects.toThrow('requested: enough');
      expect(await reader.run(run.id)).toEqual(asked);
      expect(await reader.lastStep(run.id)).toEqual(first.step);

      const other = await suspended(opened());
      await store.vote([yes(other.approvalId)]);
      const second = await store.takeOver(resume(other.run.id), ME);
      if ('refused' in second) throw new Error(second.refused);
      await store.giveBack(fenceOf(second.taken), again(second.taken));
      expect(await store.requestCancel(other.run.id, 'requested', '')).toMatchObject({ status: 'suspended' });
      expect((await reader.run(other.run.id))?.cancelRequested).toBe(undefined);
    });
  });
}

const again = (run: StoredRun) =>
  [{ seq: run.lastSeq + 1, event: { type: 'run.suspended', segment: 'again', approvals: [] } }] as const;
