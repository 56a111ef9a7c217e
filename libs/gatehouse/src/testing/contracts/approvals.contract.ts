import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import { RunCancelledError } from '../../contracts/errors/run-cancelled.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anApproval, aStep, progress, yes } from './store.samples.js';
import { claimOf, fenceOf, running, suspendNow, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeApprovals(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('asking for an approval', () => {
    it('stores it pending, exact arguments and shown ones apart, its deadline from the request on', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const asked = anApproval(run);
      const stored = await store.requestApproval(fenceOf(run), asked);
      const { shown, expiresInMs, executeWithinMs: _w, ...same } = asked;
      expect(stored).toEqual({
        ...same,
        args: shown,
        status: 'pending',
        requestedAt: expect.any(Date),
        expiresAt: new Date(stored.requestedAt.getTime() + expiresInMs),
        decidedBy: [],
        votes: [],
        digestKey: run.digestKey,
        requestSeal: null,
        proposedDigest: 'digest-1',
      });
      expect(await reader.approval(asked.id)).toEqual(stored);
    });

    it('is the same request when it is made again', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const asked = anApproval(run);
      const first = await store.requestApproval(fenceOf(run), asked);
      await store.vote([yes(asked.id)]);
      expect(await store.requestApproval(fenceOf(run), asked)).toMatchObject({ id: first.id, status: 'approved' });
      expect((await reader.approvals({ runId: run.id })).items).toHaveLength(1);
    });

    it('voids what was asked, approved or claimed before for the same operation, and nothing else', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const operationId = newId();
      const ask = async (): Promise<string> =>
        (await store.requestApproval(fenceOf(run), anApproval(run, { operationId }))).id;
      const other = await store.requestApproval(fenceOf(run), anApproval(run));
      const first = await ask();
      const second = await ask();
      await store.vote([yes(second)]);
      const third = await ask();
      await store.vote([yes(third)]);
      expect(await store.claim(fenceOf(run), claimOf(third))).toBe('claimed');
      const last = await ask();
      const statuses = await Promise.all(
        [first, second, third, last, other.id].map(async (id) => (await reader.approval(id))?.status),
      );
      expect(statuses).toEqual(['superseded', 'superseded', 'superseded', 'pending', 'pending']);
    });

    it('is refused to an owner that lost the run', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const asked = anApproval(run);
      await expect(store.requestApproval({ runId: run.id, epoch: 2 }, asked)).rejects.toThrow(LeaseLostError);
      expect(await reader.approval(asked.id)).toBeUndefined();
    });
  });

  describe('suspending', () => {
    it('stores everything at once and lets the run wait', async () => {
      const { store, reader } = opened();
      const { run } = await waiting(opened());
      const changes = progress(aStep(run));
      const frame = { seq: 2, event: { type: 'run.suspended', segment: run.segment, approvals: [] } } as const;
      expect(await store.suspend(fenceOf(run), changes, [frame])).toBe('suspended');
      expect(await store.suspend(fenceOf(run), changes, [frame])).toBe('suspended');
      expect(await reader.run(run.id)).toMatchObject({
        status: 'suspended',
        state: { seen: 2 },
        lastSeq: 2,
        step: 1,
        epoch: 1,
      });
      expect(await reader.messages(run.threadId)).toEqual(changes.messages);
      expect((await reader.frames(run.id, 1, 10)).frames).toEqual([frame]);
      await expect(store.appendFrames(fenceOf(run), [frame])).rejects.toThrow(LeaseLostError);
    });

    it('writes nothing and keeps the run where everything is decided by now', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await waiting(opened());
      expect((await store.vote([yes(approvalId)])).ready).toEqual([]);
      expect(await suspendNow(opened(), run)).toBe('decided');
      expect(await reader.run(run.id)).toEqual(run);
      expect(await reader.messages(run.threadId)).toEqual([]);
    });

    it('is no way around a cancel that was asked for', async () => {
      const { store, reader } = opened();
      const { run } = await waiting(opened());
      await store.requestCancel(run.id, 'client disconnected', 'gone');
      await expect(suspendNow(opened(), run)).rejects.toThrow(RunCancelledError);
      await expect(suspendNow(opened(), run)).rejects.toThrow('client disconnected: gone');
      expect((await reader.run(run.id))?.status).toBe('running');
    });
  });
}
