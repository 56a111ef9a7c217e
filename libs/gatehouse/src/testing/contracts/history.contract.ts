import type { ApprovalEvent } from '../../contracts/approval.event.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anApproval, anEnding, no, OTHER, yes } from './store.samples.js';
import { claimOf, fenceOf, suspended, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

const RESULT = { status: 'completed', outcome: 'success', content: 'refunded' } as const;

export function describeHistory(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  const historyOf = async (approvalId: string): Promise<readonly ApprovalEvent[]> =>
    (await opened().evidence.approvalEvents({ approvalId })).items.toReversed();
  const linesOf = async (approvalId: string): Promise<string[]> =>
    (await historyOf(approvalId)).map(({ kind, status, principalId }) => `${kind} ${status} ${principalId}`);

  describe('the history of an approval', () => {
    it('has each thing that happened to it, once, in order, with whoever did it', async () => {
      const { store } = opened();
      const { run, approvalId } = await waiting(opened(), { approvers: { quorum: 2 } });
      await store.vote([yes(approvalId, 'bob', { note: 'be kind' })]);
      await store.vote([yes(approvalId, 'bob')]);
      await store.vote([yes(approvalId, 'cleo', { reason: 'fine' })]);
      await store.claim(fenceOf(run), claimOf(approvalId));
      await store.claim(fenceOf(run), claimOf(approvalId));
      await store.settle(fenceOf(run), approvalId, RESULT);
      await store.finish(fenceOf(run), anEnding(run), []);
      expect(await linesOf(approvalId)).toEqual([
        'requested null ann',
        'voted approved bob',
        'voted approved cleo',
        'decided approved null',
        'claimed executing null',
        'settled done null',
      ]);
      const [requested, voted, , decided] = await historyOf(approvalId);
      expect(requested).toEqual({
        id: expect.any(String),
        approvalId,
        runId: run.id,
        organizationId: 'acme',
        toolName: 'refund',
        kind: 'requested',
        status: null,
        principalId: 'ann',
        detail: 'Refund order 1',
        at: expect.any(Date),
      });
      expect([voted?.detail, decided?.detail]).toEqual(['be kind', 'fine']);
    });

    it('has how it ended when nobody decided, and what withdrew it after a yes', async () => {
      const { store, moveTime } = opened();
      const late = await suspended(opened());
      const unstarted = await suspended(opened());
      await store.vote([yes(unstarted.approvalId)]);
      const denied = await waiting(opened());
      await store.vote([no(denied.approvalId)]);
      const left = await waiting(opened(), { expiresInMs: 3_600_000 });
      const again = await waiting(opened(), { expiresInMs: 3_600_000 });
      const { operationId = '' } = (await opened().reader.approval(again.approvalId)) ?? {};
      await store.requestApproval(fenceOf(again.run), anApproval(again.run, { operationId }));
      await store.finish(fenceOf(left.run), anEnding(left.run), []);
      await moveTime(60_001);
      await store.sweep(OTHER);
      const endOf = async ({ approvalId }: { readonly approvalId: string }) => (await linesOf(approvalId)).at(-1);
      expect(await endOf(late)).toBe('decided expired null');
      expect(await endOf(unstarted)).toBe('withdrawn expired null');
      expect(await endOf(denied)).toBe('decided denied null');
      expect(await endOf(left)).toBe('decided cancelled null');
      expect(await endOf(again)).toBe('decided superseded null');
    });

    it('has a lost outcome, and who said what became of it', async () => {
      const { store } = opened();
      const { run, approvalId } = await waiting(opened());
      await store.vote([yes(approvalId)]);
      await store.claim(fenceOf(run), claimOf(approvalId));
      await store.finish(fenceOf(run), anEnding(run), []);
      await store.resolve(approvalId, 'did-not-run', 'dora', 'nothing there');
      await store.resolve(approvalId, 'did-not-run', 'dora', 'nothing there');
      expect((await linesOf(approvalId)).slice(-3)).toEqual([
        'claimed executing null',
        'lost unknown null',
        'resolved did-not-run dora',
      ]);
      expect((await historyOf(approvalId)).at(-1)?.detail).toBe('nothing there');
    });

    it('has attempts of people who may not decide; the same one within a minute is one', async () => {
      const { evidence } = opened();
      const { run, approvalId } = await waiting(opened());
      const attempt = { approvalId, principalId: 'eve', why: 'no role' };
      await evidence.appendRefusedDecision(attempt);
      await evidence.appendRefusedDecision(attempt);
      await evidence.appendRefusedDecision({ ...attempt, why: 'the access policy says no' });
      await evidence.appendRefusedDecision({ approvalId, why: 'nobody is signed in' });
      await evidence.appendRefusedDecision({ ...attempt, approvalId: newId() });
      await evidence.appendRefusedDecision({ ...attempt, approvalId: 'no-id' });
      const attempts = (await evidence.approvalEvents({ runId: run.id, kind: 'refused' })).items.toReversed();
      expect(attempts.map(({ principalId, detail, status }) => [principalId, detail, status])).toEqual([
        ['eve', 'no role', null],
        ['eve', 'the access policy says no', null],
        [null, 'nobody is signed in', null],
      ]);
      const ofEve = await evidence.approvalEvents({ principalId: 'eve', threadId: run.threadId, limit: 1 });
      expect(ofEve.items.map(({ detail }) => detail)).toEqual(['the access policy says no']);
      const next = await evidence.approvalEvents({
        principalId: 'eve',
        threadId: run.threadId,
        cursor: ofEve.nextCursor ?? '',
      });
      expect([next.items.map(({ detail }) => detail), next.nextCursor]).toEqual([['no role'], null]);
      const story = await evidence.timeline(run.id);
      expect(story.filter(({ kind }) => kind === 'approval.refused').map(({ id, by }) => [id, by])).toEqual(
        expect.arrayContaining([
          [approvalId, 'eve'],
          [approvalId, null],
        ]),
      );
    });
  });
}
