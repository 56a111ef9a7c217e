import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anApproval, anEnding, aRun, aTerminal, ME, no, OTHER, yes } from './store.samples.js';
import { claimOf, fenceOf, resume, running, suspended, suspendNow, waiting } from './store.scenes.js';
import type { Opened, StoreUnderTest } from './tested.store.js';

const ROUNDS = Array.from({ length: 20 }, (_, round) => round);

export function describeRaces(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  /** Starts both in either order, so that each gets its chance to be first. */
  const race = <A, B>(round: number, a: () => Promise<A>, b: () => Promise<B>): Promise<[A, B]> => {
    if (round % 2 === 0) return Promise.all([a(), b()]);
    return Promise.all([b(), a()]).then(([second, first]) => [first, second]);
  };
  const statusOf = async (approvalId: string): Promise<string | undefined> =>
    (await opened().reader.approval(approvalId))?.status;

  describe('races', () => {
    it('[361] yes against no: one is counted, the other a conflict', async () => {
      const { store } = opened();
      for (const round of ROUNDS) {
        const { approvalId } = await waiting(opened());
        const both = await race(
          round,
          () => store.vote([yes(approvalId, 'bob')]),
          () => store.vote([no(approvalId, 'cleo')]),
        );
        const verdicts = both.map(({ votes }) => votes[0]?.verdict);
        expect([...verdicts].sort()).toEqual(['conflict', 'recorded']);
        expect(await statusOf(approvalId)).toBe(verdicts[0] === 'recorded' ? 'approved' : 'denied');
      }
    });

    it('[361] the votes of a quorum: both are counted, the last one decides, once', async () => {
      const { store, reader } = opened();
      for (const round of ROUNDS) {
        const { run, approvalId } = await suspended(opened(), { approvers: { quorum: 2 } });
        const both = await race(
          round,
          () => store.vote([yes(approvalId, 'bob')]),
          () => store.vote([yes(approvalId, 'cleo')]),
        );
        expect(both.map(({ votes }) => votes[0]?.verdict)).toEqual(['recorded', 'recorded']);
        expect(both.flatMap(({ ready }) => ready)).toEqual([run.id]);
        expect((await reader.approval(approvalId))?.decidedBy.toSorted()).toEqual(['bob', 'cleo']);
      }
    });

    it('[361] votes on two approvals in opposite order: neither hangs, both stand', async () => {
      const { store } = opened();
      for (const round of ROUNDS) {
        const [a, b] = [await waiting(opened()), await waiting(opened())];
        const both = await race(
          round,
          () => store.vote([yes(a.approvalId), yes(b.approvalId)]),
          () => store.vote([yes(b.approvalId), yes(a.approvalId)]),
        );
        expect(both.map(({ accepted }) => accepted)).toEqual([true, true]);
        expect(await Promise.all([statusOf(a.approvalId), statusOf(b.approvalId)])).toEqual(['approved', 'approved']);
      }
    });

    it('[361] the last decision against suspend: exactly one of them goes on with the run', async () => {
      const { store, reader } = opened();
      for (const round of ROUNDS) {
        const { run, approvalId } = await waiting(opened());
        const [vote, outcome] = await race(
          round,
          () => store.vote([yes(approvalId)]),
          () => suspendNow(opened(), run),
        );
        expect(vote.ready).toEqual(outcome === 'suspended' ? [run.id] : []);
        expect((await reader.run(run.id))?.status).toBe(outcome === 'suspended' ? 'suspended' : 'running');
      }
    });

    it('[360] two take-overs of one run: one owner', async () => {
      const { store, reader } = opened();
      for (const round of ROUNDS) {
        const { run, approvalId } = await suspended(opened());
        await store.vote([yes(approvalId)]);
        const both = await race(
          round,
          () => store.takeOver(resume(run.id), ME),
          () => store.takeOver(resume(run.id), OTHER),
        );
        const won = both.filter((result) => 'taken' in result);
        expect(won).toHaveLength(1);
        expect(both).toContainEqual({ refused: 'not-suspended' });
        expect(await reader.run(run.id)).toMatchObject({
          epoch: 2,
          owner: 'taken' in both[0] ? 'process-1' : 'process-2',
        });
      }
    });

    it('two starts on one thread: one runs, the other learns which', async () => {
      const { store } = opened();
      for (const round of ROUNDS) {
        const threadId = newId();
        const [a, b] = [aRun({ threadId }), aRun({ threadId })];
        const both = await race(
          round,
          () => store.startRun(a, [], [], ME),
          () => store.startRun(b, [], [], ME),
        );
        const winner = 'started' in both[0] ? a.id : b.id;
        expect(both.filter((result) => 'started' in result)).toHaveLength(1);
        expect(both).toContainEqual({ refused: 'busy', runId: winner });
      }
    });

    it('two ends of one run: the first terminal record stays', async () => {
      const { store, reader, evidence } = opened();
      for (const round of ROUNDS) {
        const run = await running(opened());
        const done = anEnding(run, { record: aTerminal(run, { status: 'completed' }) });
        const cancelled = anEnding(run, { record: aTerminal(run, { status: 'cancelled' }) });
        const both = await race(
          round,
          () => store.finish(fenceOf(run), done, []),
          () => store.finish(fenceOf(run), cancelled, []),
        );
        expect([...both].sort()).toEqual([false, true]);
        const status = both[0] ? 'completed' : 'cancelled';
        expect((await reader.run(run.id))?.status).toBe(status);
        expect((await evidence.terminals({ runId: run.id })).items.map((record) => record.status)).toEqual([status]);
      }
    });

    it('[361] cancel against claim: a claim is either before the cancel or refused', async () => {
      const { store, reader } = opened();
      for (const round of ROUNDS) {
        const { run, approvalId } = await waiting(opened());
        await store.vote([yes(approvalId)]);
        const [claim] = await race(
          round,
          () => store.claim(fenceOf(run), claimOf(approvalId)),
          () => store.requestCancel(run.id, 'requested', ''),
        );
        expect(await statusOf(approvalId)).toBe(claim === 'claimed' ? 'executing' : 'approved');
        expect((await reader.run(run.id))?.cancelRequested).toEqual({ source: 'requested', reason: '' });
      }
    });

    it('[361] cancel against completion: one status, and the answer is it', async () => {
      const { store, reader } = opened();
      for (const round of ROUNDS) {
        const run = await running(opened());
        const [finished, seen] = await race(
          round,
          () => store.finish(fenceOf(run), anEnding(run), []),
          () => store.requestCancel(run.id, 'requested', ''),
        );
        expect(finished).toBe(true);
        const stored = await reader.run(run.id);
        expect(stored?.status).toBe('completed');
        expect(stored?.cancelRequested === undefined).toBe(seen?.status === 'completed');
      }
    });

    it('two claims with different tokens: one start', async () => {
      const { store } = opened();
      for (const round of ROUNDS) {
        const { run, approvalId } = await waiting(opened());
        await store.vote([yes(approvalId)]);
        const claim = (token: string) => () => store.claim(fenceOf(run), claimOf(approvalId, token));
        expect([...(await race(round, claim('a'), claim('b')))].sort()).toEqual(['claimed', 'refused']);
      }
    });

    it('[361] decision against expiry: the approval is one or the other, as the answer said', async () => {
      const { store, moveTime } = opened();
      for (const round of ROUNDS) {
        const { approvalId } = await waiting(opened(), { expiresInMs: 1000 });
        const [vote] = await race(
          round,
          () => store.vote([yes(approvalId)]),
          async () => {
            await moveTime(1001);
            await store.sweep(ME);
          },
        );
        const status = await statusOf(approvalId);
        expect([vote.votes[0]?.verdict, status]).toEqual(
          status === 'expired' ? ['expired', 'expired'] : ['recorded', 'approved'],
        );
      }
    });

    it('[362] two sweeps: each orphan has one new owner; the old one writes nothing more', async () => {
      const { store, moveTime } = opened();
      await endOrphans(opened());
      for (const round of ROUNDS) {
        const run = await running(opened());
        await moveTime(2001);
        const both = await race(
          round,
          () => store.sweep(ME),
          () => store.sweep(OTHER),
        );
        expect(both.flatMap(({ orphans }) => orphans).filter(({ id }) => id === run.id)).toHaveLength(1);
        await expect(store.requestApproval(fenceOf(run), anApproval(run))).rejects.toThrow(LeaseLostError);
        await expect(store.suspend(fenceOf(run), { ...anEnding(run), step: stepOf(run.id) }, [])).rejects.toThrow(
          LeaseLostError,
        );
      }
    });
  });
}

/** One sweep takes a bounded number, so what earlier tests left behind goes first. */
async function endOrphans({ store, moveTime }: StoreUnderTest): Promise<void> {
  await moveTime(2001);
  for (;;) {
    const { orphans } = await store.sweep(ME);
    if (orphans.length === 0) return;
    for (const run of orphans) await store.finish(fenceOf(run), anEnding(run), []);
  }
}

const stepOf = (runId: string) => ({ runId, step: 1, text: '', messageId: 'm', operations: [] }) as const;
