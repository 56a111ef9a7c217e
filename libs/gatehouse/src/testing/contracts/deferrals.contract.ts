import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import type { NewAnswer, StoredDeferral } from '../../contracts/ports/stored.deferral.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { aDeferral, anAnswer, anApproval, anEnding, ME, OTHER, WITHDRAWN, yes } from './store.samples.js';
import { claimOf, fenceOf, resume, running, suspended, suspendNow, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeDeferrals(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  const deferred = async (): Promise<{ readonly run: StoredRun; readonly call: StoredDeferral }> => {
    const run = await running(opened());
    return { run, call: await opened().store.defer(fenceOf(run), aDeferral(run), WITHDRAWN) };
  };
  const answer = (run: StoredRun, ...answers: NewAnswer[]) => opened().store.answer(run.id, answers);

  describe('a deferred call', () => {
    it('is open from its first moment; the same operation again is the same call', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const wanted = aDeferral(run);
      const call = await store.defer(fenceOf(run), wanted, WITHDRAWN);
      expect(call).toEqual({ ...wanted, status: 'open', requestedAt: expect.any(Date) });
      expect(await store.defer(fenceOf(run), { ...wanted, toolName: 'other' }, WITHDRAWN)).toEqual(call);
      expect(await reader.deferrals(run.id)).toEqual([call]);
      expect(await reader.deferrals(newId())).toEqual([]);
      expect(await reader.deferrals('no-id')).toEqual([]);
    });

    it('says whether its method had been executed before', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      await store.defer(fenceOf(run), { ...aDeferral(run), executed: true }, WITHDRAWN);
      expect(await reader.deferrals(run.id)).toMatchObject([{ executed: true }]);
    });

    it('is written by the owner of the run only', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const lost = { runId: run.id, epoch: 2 };
      await expect(store.defer(lost, aDeferral(run), WITHDRAWN)).rejects.toThrow(LeaseLostError);
      expect(await reader.deferrals(run.id)).toEqual([]);
    });

    it('withdraws the claim of its own operation, and no other', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await waiting(opened());
      const other = await store.requestApproval(fenceOf(run), anApproval(run));
      await store.vote([yes(approvalId), yes(other.id)]);
      await store.claim(fenceOf(run), claimOf(approvalId));
      await store.claim(fenceOf(run), claimOf(other.id, 'token-2'));
      const operationId = (await reader.approval(approvalId))?.operationId ?? '';
      await store.defer(fenceOf(run), { ...aDeferral(run), operationId }, WITHDRAWN);
      expect(await reader.approval(approvalId)).toMatchObject({ status: 'done', result: WITHDRAWN });
      expect(await reader.approval(other.id)).toMatchObject({ status: 'executing' });
    });

    it('keeps its first result; the same again is the same, another is not taken', async () => {
      const { reader } = opened();
      const { run, call } = await deferred();
      const first = anAnswer(call);
      expect(await answer(run, first)).toEqual({ accepted: true, verdicts: ['recorded'] });
      const { operationId: _, ...kept } = first;
      const stored = [{ ...call, ...kept, status: 'answered', answeredAt: expect.any(Date) }];
      expect(await reader.deferrals(run.id)).toEqual(stored);
      expect(await answer(run, { ...first, answeredBy: 'zoe' })).toEqual({ accepted: true, verdicts: ['repeated'] });
      const other = { ...first, resultDigest: 'digest-2' };
      expect(await answer(run, other)).toEqual({ accepted: false, verdicts: ['conflict'] });
      expect(await reader.deferrals(run.id)).toEqual(stored);
    });

    it('gets all results of one answer, or none', async () => {
      const { store, reader } = opened();
      const { run, call } = await deferred();
      const second = await store.defer(fenceOf(run), aDeferral(run), WITHDRAWN);
      const unknown = { ...anAnswer(call), operationId: newId() };
      expect(await answer(run, anAnswer(call), unknown)).toEqual({
        accepted: false,
        verdicts: ['recorded', 'unknown'],
      });
      const twice = { ...anAnswer(call), resultDigest: 'digest-2' };
      expect(await answer(run, anAnswer(call), twice)).toEqual({
        accepted: false,
        verdicts: ['recorded', 'conflict'],
      });
      expect((await reader.deferrals(run.id)).map(({ status }) => status)).toEqual(['open', 'open']);
      expect(await answer(run, anAnswer(second), anAnswer(call))).toEqual({
        accepted: true,
        verdicts: ['recorded', 'recorded'],
      });
    });

    it('is known to its own run only', async () => {
      const { store } = opened();
      const { run, call } = await deferred();
      const other = await running(opened());
      const unknown = { accepted: false, verdicts: ['unknown'] };
      expect(await answer(other, anAnswer(call))).toEqual(unknown);
      expect(await store.answer(newId(), [anAnswer(call)])).toEqual(unknown);
      expect(await store.answer('no-id', [anAnswer(call)])).toEqual(unknown);
      expect(await answer(run, { ...anAnswer(call), operationId: 'no-id' })).toEqual(unknown);
    });
  });

  describe('a run with a deferred call', () => {
    it('waits for its result, and is handed out with it', async () => {
      const { store, reader } = opened();
      const { run, call } = await deferred();
      expect(await suspendNow(opened(), run)).toBe('suspended');
      expect((await store.sweep(ME)).ready).not.toContain(run.id);
      expect(await store.takeOver(resume(run.id), ME)).toEqual({ refused: 'pending' });
      await answer(run, anAnswer(call));
      expect((await store.sweep(ME)).ready).toContain(run.id);
      const taken = await store.takeOver(resume(run.id), OTHER);
      expect(taken).toMatchObject({ taken: { epoch: 2 }, approvals: [], deferrals: [{ status: 'answered' }] });
      expect('deferrals' in taken && taken.deferrals).toEqual(await reader.deferrals(run.id));
    });

    it('whose result came while it still ran, does not wait', async () => {
      const { run, call } = await deferred();
      await answer(run, anAnswer(call));
      expect(await suspendNow(opened(), run)).toBe('decided');
    });

    it('and an approval waits for both, in either order', async () => {
      const { store } = opened();
      for (const order of ['decision first', 'result first']) {
        const { run, approvalId } = await waiting(opened());
        const call = await store.defer(fenceOf(run), aDeferral(run), WITHDRAWN);
        await suspendNow(opened(), run);
        if (order === 'result first') await answer(run, anAnswer(call));
        const { ready } = await store.vote([yes(approvalId)]);
        expect([order, ready]).toEqual([order, order === 'result first' ? [run.id] : []]);
        if (order === 'decision first') {
          expect(await store.takeOver(resume(run.id), ME)).toEqual({ refused: 'pending' });
          await answer(run, anAnswer(call));
        }
        expect(await store.takeOver(resume(run.id), ME)).toMatchObject({
          approvals: [{ status: 'approved' }],
          deferrals: [{ status: 'answered' }],
        });
      }
    });

    it('waits on where the approval beside it expired', async () => {
      const { store, moveTime } = opened();
      const { run } = await waiting(opened(), { expiresInMs: 1000 });
      const call = await store.defer(fenceOf(run), aDeferral(run), WITHDRAWN);
      await suspendNow(opened(), run);
      await moveTime(1001);
      expect((await store.sweep(ME)).ready).not.toContain(run.id);
      await answer(run, anAnswer(call));
      expect(await store.takeOver(resume(run.id), ME)).toMatchObject({ approvals: [{ status: 'expired' }] });
    });

    it('that lives in another process is stranded a lease after its result, never while it waits', async () => {
      const { store, moveTime } = opened();
      const run = await running(opened(), { local: true });
      const call = await store.defer(fenceOf(run), aDeferral(run), WITHDRAWN);
      await suspendNow(opened(), run);
      await moveTime(OTHER.leaseMs + 1);
      expect((await store.sweep(OTHER)).stranded).not.toContain(run.id);
      await answer(run, anAnswer(call));
      expect((await store.sweep(OTHER)).stranded).not.toContain(run.id);
      await moveTime(OTHER.leaseMs + 1);
      expect((await store.sweep(OTHER)).stranded).toContain(run.id);
    });

    it('that is ended takes no result any more; one that came before stays', async () => {
      const { store } = opened();
      const { run, call } = await deferred();
      const answered = await store.defer(fenceOf(run), aDeferral(run), WITHDRAWN);
      await answer(run, anAnswer(answered));
      await suspendNow(opened(), run);
      const taken = await store.takeOver({ runId: run.id, purpose: 'end', segment: newId() }, ME);
      expect('deferrals' in taken && taken.deferrals.map(({ status }) => status).toSorted()).toEqual([
        'answered',
        'closed',
      ]);
      expect(await answer(run, anAnswer(call))).toEqual({ accepted: false, verdicts: ['closed'] });
      expect(await answer(run, anAnswer(answered))).toEqual({ accepted: true, verdicts: ['repeated'] });
    });

    it('that finished takes none either', async () => {
      const { store, reader } = opened();
      const { run, call } = await deferred();
      await store.finish(fenceOf(run), anEnding(run), []);
      expect(await answer(run, anAnswer(call))).toEqual({ accepted: false, verdicts: ['closed'] });
      expect(await reader.deferrals(run.id)).toMatchObject([{ status: 'closed' }]);
    });

    it('can be answered at the same moment from two sides: one result stands', async () => {
      const { store, reader } = opened();
      const { run, call } = await deferred();
      await suspendNow(opened(), run);
      const sides = ['left', 'right'].map((side) => ({ ...anAnswer(call), resultDigest: side, answeredBy: side }));
      const results = await Promise.all(sides.map((side) => store.answer(run.id, [side])));
      expect(results.map(({ verdicts }) => verdicts[0]).toSorted()).toEqual(['conflict', 'recorded']);
      const winner = results.findIndex(({ accepted }) => accepted);
      expect(await reader.deferrals(run.id)).toMatchObject([{ answeredBy: sides[winner]?.answeredBy }]);
    });

    it('suspends, or goes on, whenever its result comes: never both, never neither', async () => {
      const { store, reader } = opened();
      for (let round = 0; round < 5; round += 1) {
        const { run, call } = await deferred();
        const [outcome, given] = await Promise.all([suspendNow(opened(), run), answer(run, anAnswer(call))]);
        expect(given.accepted).toBe(true);
        expect((await reader.run(run.id))?.status).toBe(outcome === 'suspended' ? 'suspended' : 'running');
        if (outcome === 'suspended') expect((await store.sweep(ME)).ready).toContain(run.id);
      }
    });
  });

  it('a run without one is handed out without any', async () => {
    const { store } = opened();
    const { run, approvalId } = await suspended(opened());
    await store.vote([yes(approvalId)]);
    expect(await store.takeOver(resume(run.id), ME)).toMatchObject({ deferrals: [] });
  });
}
