import { ApprovalConflictError } from '../../contracts/errors/approval-conflict.error.js';
import { ApprovalNotFoundError } from '../../contracts/errors/approval-not-found.error.js';
import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anEnding, no, OTHER, yes } from './store.samples.js';
import { claimOf, fenceOf, running, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

const RESULT = { status: 'completed', outcome: 'success', content: 'refunded' } as const;

export function describeClaims(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  const approved = async (): ReturnType<typeof waiting> => {
    const scene = await waiting(opened());
    await opened().store.vote([yes(scene.approvalId)]);
    return scene;
  };

  describe('claiming', () => {
    it('buys one start: the same token again is success, another is refused', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await approved();
      expect(await store.claim(fenceOf(run), claimOf(approvalId))).toBe('claimed');
      expect(await store.claim(fenceOf(run), claimOf(approvalId))).toBe('claimed');
      expect(await store.claim(fenceOf(run), claimOf(approvalId, 'token-2'))).toBe('refused');
      expect(await reader.approval(approvalId)).toMatchObject({ status: 'executing', claimToken: 'token-1' });
    });

    it('is refused for what nobody approved, other arguments, another run, an unknown id', async () => {
      const { store } = opened();
      const { run, approvalId } = await waiting(opened());
      expect(await store.claim(fenceOf(run), claimOf(approvalId))).toBe('refused');
      await store.vote([no(approvalId)]);
      expect(await store.claim(fenceOf(run), claimOf(approvalId))).toBe('refused');
      const good = await approved();
      expect(await store.claim(fenceOf(good.run), { ...claimOf(good.approvalId), argumentsDigest: 'x' })).toBe(
        'refused',
      );
      expect(await store.claim(fenceOf(run), claimOf(good.approvalId))).toBe('refused');
      expect(await store.claim(fenceOf(run), claimOf(newId()))).toBe('refused');
      expect(await store.claim(fenceOf(run), claimOf('no-id'))).toBe('refused');
      expect(await store.claim(fenceOf(good.run), claimOf(good.approvalId))).toBe('claimed');
    });

    it('is refused once a cancel was asked for', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await approved();
      await store.requestCancel(run.id, 'requested', '');
      expect(await store.claim(fenceOf(run), claimOf(approvalId))).toBe('refused');
      expect((await reader.approval(approvalId))?.status).toBe('approved');
    });

    it('is refused after the last moment of the start', async () => {
      const { store, moveTime } = opened();
      const { run, approvalId } = await approved();
      await moveTime(30_001);
      expect(await store.claim(fenceOf(run), claimOf(approvalId))).toBe('refused');
    });

    it('is lost with the run', async () => {
      const { store } = opened();
      const { run, approvalId } = await approved();
      await expect(store.claim({ runId: run.id, epoch: 2 }, claimOf(approvalId))).rejects.toThrow(LeaseLostError);
    });

    it('is settled once, with its result', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await approved();
      await expect(store.settle(fenceOf(run), approvalId, RESULT)).rejects.toThrow(ApprovalConflictError);
      await store.claim(fenceOf(run), claimOf(approvalId));
      await expect(store.settle({ runId: run.id, epoch: 2 }, approvalId, RESULT)).rejects.toThrow(LeaseLostError);
      await store.settle(fenceOf(run), approvalId, RESULT);
      await store.settle(fenceOf(run), approvalId, { ...RESULT, content: 'another' });
      expect(await reader.approval(approvalId)).toMatchObject({ status: 'done', result: RESULT });
      await expect(store.settle(fenceOf(run), newId(), RESULT)).rejects.toThrow(ApprovalNotFoundError);
      await expect(store.settle(fenceOf(run), 'no-id', RESULT)).rejects.toThrow(ApprovalNotFoundError);
    });
  });

  describe('a claim without an outcome', () => {
    it('is unknown once the run has ended, and a person resolves it, once', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await approved();
      await store.claim(fenceOf(run), claimOf(approvalId));
      expect(await store.resolve(approvalId, 'ran', 'cleo', 'saw it')).toBeUndefined();
      await store.finish(fenceOf(run), anEnding(run), []);
      expect((await reader.approval(approvalId))?.status).toBe('unknown');
      const resolved = await store.resolve(approvalId, 'ran', 'cleo', 'saw it');
      expect(resolved).toMatchObject({
        status: 'done',
        result: { status: 'completed', outcome: 'success', content: 'saw it' },
      });
      expect(await store.resolve(approvalId, 'ran', 'cleo', 'saw it')).toEqual(resolved);
      expect(await store.resolve(approvalId, 'did-not-run', 'cleo', 'saw it')).toBeUndefined();
      expect(await reader.approval(approvalId)).toEqual(resolved);
    });

    it('is unknown once another process has taken its run', async () => {
      const { store, reader, moveTime } = opened();
      const { run, approvalId } = await approved();
      await store.claim(fenceOf(run), claimOf(approvalId));
      await moveTime(2001);
      await store.sweep(OTHER);
      expect((await reader.approval(approvalId))?.status).toBe('unknown');
      const resolved = await store.resolve(approvalId, 'did-not-run', 'cleo', 'nothing there');
      expect(resolved?.result).toEqual({ status: 'interrupted', outcome: 'skipped', content: 'nothing there' });
    });

    it('cannot be resolved where there is none', async () => {
      const { store } = opened();
      await running(opened());
      expect(await store.resolve(newId(), 'ran', 'cleo', '')).toBeUndefined();
      expect(await store.resolve('no-id', 'ran', 'cleo', '')).toBeUndefined();
    });
  });
}
