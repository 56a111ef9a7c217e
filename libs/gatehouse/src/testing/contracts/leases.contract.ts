import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anApproval, anEnding, ME, OTHER, textFrames, yes } from './store.samples.js';
import { fenceOf, running, suspended, suspendNow, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeLeases(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('leases', () => {
    it('are renewed for their owner only, and tell of cancels', async () => {
      const { store } = opened();
      const [kept, cancelled, ended] = [await running(opened()), await running(opened()), await running(opened())];
      const theirs = await running(opened(), {}, OTHER);
      await store.requestCancel(cancelled.id, 'requested', 'enough');
      await store.finish(fenceOf(ended), anEnding(ended), []);
      const wrongEpoch = { runId: kept.id, epoch: 7 };
      const unknown = { runId: newId(), epoch: 1 };
      const fences = [fenceOf(kept), fenceOf(cancelled), fenceOf(ended), fenceOf(theirs), unknown];
      expect(await store.renew(fences, ME)).toEqual({
        lost: [fenceOf(ended), fenceOf(theirs), unknown],
        cancels: [{ runId: cancelled.id, source: 'requested', reason: 'enough' }],
        unwatched: [],
      });
      expect(await store.renew([wrongEpoch], ME)).toEqual({ lost: [wrongEpoch], cancels: [], unwatched: [] });
      expect(await store.renew([], ME)).toEqual({ lost: [], cancels: [], unwatched: [] });
    });

    it('keep a run from being swept while they are renewed', async () => {
      const { store, moveTime } = opened();
      const run = await running(opened());
      await moveTime(1500);
      await store.renew([fenceOf(run)], ME);
      await moveTime(1500);
      expect((await store.sweep(OTHER)).orphans.map(({ id }) => id)).not.toContain(run.id);
      await store.appendFrames(fenceOf(run), textFrames(2));
    });

    it('that ran out give the run to who sweeps first, at its next epoch', async () => {
      const { store, moveTime } = opened();
      const run = await running(opened());
      await moveTime(2001);
      const { orphans } = await store.sweep(OTHER);
      expect(orphans.find(({ id }) => id === run.id)).toMatchObject({
        epoch: 2,
        owner: 'process-2',
        status: 'running',
      });
      expect((await store.sweep(ME)).orphans.map(({ id }) => id)).not.toContain(run.id);
      await expect(store.appendFrames(fenceOf(run), textFrames(2))).rejects.toThrow(LeaseLostError);
      expect(await store.renew([fenceOf(run)], ME)).toEqual({ lost: [fenceOf(run)], cancels: [], unwatched: [] });
      expect(await store.finish({ runId: run.id, epoch: 2 }, anEnding(run), [])).toBe(true);
      expect(await store.finish(fenceOf(run), anEnding(run), [])).toBe(false);
    });
  });

  describe('a cancel request', () => {
    it('is kept once, for a running run only', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      expect(await store.requestCancel(run.id, 'requested', 'first')).toMatchObject({
        status: 'running',
        cancelRequested: { source: 'requested', reason: 'first' },
      });
      await store.requestCancel(run.id, 'shutdown', 'second');
      expect((await reader.run(run.id))?.cancelRequested).toEqual({ source: 'requested', reason: 'first' });
      const waits = await suspended(opened());
      expect(await store.requestCancel(waits.run.id, 'requested', '')).toEqual(await reader.run(waits.run.id));
      expect((await reader.run(waits.run.id))?.cancelRequested).toBeUndefined();
      expect(await store.requestCancel(newId(), 'requested', '')).toBeUndefined();
      expect(await store.requestCancel('no-id', 'requested', '')).toBeUndefined();
    });
  });

  describe('the sweep', () => {
    it('expires what nobody answered and what nobody started, and names the runs that can go on', async () => {
      const { store, reader, moveTime } = opened();
      const unanswered = await suspended(opened(), { expiresInMs: 1000 });
      const run = await running(opened());
      const unstarted = await store.requestApproval(fenceOf(run), anApproval(run, { executeWithinMs: 1000 }));
      const open = await store.requestApproval(fenceOf(run), anApproval(run, { expiresInMs: 100_000 }));
      await store.vote([yes(unstarted.id)]);
      await suspendNow(opened(), run);
      const decidedAt = (await reader.approval(unstarted.id))?.decidedAt;
      expect((await store.sweep(ME)).ready).not.toContain(unanswered.run.id);
      await moveTime(1001);
      const { ready } = await store.sweep(ME);
      expect((await reader.approval(unanswered.approvalId))?.status).toBe('expired');
      expect(await reader.approval(unstarted.id)).toMatchObject({ status: 'expired', decidedBy: ['bob'] });
      expect((await reader.approval(unstarted.id))?.decidedAt?.getTime()).toBeLessThanOrEqual(
        decidedAt?.getTime() ?? 0,
      );
      expect((await reader.approval(open.id))?.status).toBe('pending');
      expect(ready).toContain(unanswered.run.id);
      expect(ready).not.toContain(run.id);
    });

    it('names a local run only to the process it lives in', async () => {
      const { store } = opened();
      const run = await running(opened(), { local: true });
      const approval = await store.requestApproval(fenceOf(run), anApproval(run));
      await suspendNow(opened(), run);
      await store.vote([yes(approval.id)]);
      expect((await store.sweep(ME)).ready).toContain(run.id);
      expect((await store.sweep(OTHER)).ready).not.toContain(run.id);
    });

    it('names a local run of another process as stranded a lease after its last answer, never one that still waits', async () => {
      const { store, moveTime } = opened();
      const run = await running(opened(), { local: true });
      const approval = await store.requestApproval(fenceOf(run), anApproval(run));
      await suspendNow(opened(), run);
      await moveTime(OTHER.leaseMs + 1);
      expect((await store.sweep(OTHER)).stranded).not.toContain(run.id);
      await store.vote([yes(approval.id)]);
      expect((await store.sweep(OTHER)).stranded).not.toContain(run.id);
      await moveTime(OTHER.leaseMs + 1);
      expect((await store.sweep(ME)).stranded).not.toContain(run.id);
      expect((await store.sweep(OTHER)).stranded).toContain(run.id);
    });

    it('leaves a suspended run that waits alone, however long it waits', async () => {
      const { store, reader, moveTime } = opened();
      const { run } = await waiting(opened(), { expiresInMs: 1_000_000 });
      await suspendNow(opened(), run);
      await moveTime(500_000);
      const { orphans, ready } = await store.sweep(OTHER);
      expect([...orphans.map(({ id }) => id), ...ready]).not.toContain(run.id);
      expect((await reader.run(run.id))?.epoch).toBe(1);
    });
  });
}
