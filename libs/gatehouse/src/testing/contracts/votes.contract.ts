import type { EditedArguments } from '../../contracts/ports/stored.approval.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anApproval, no, yes } from './store.samples.js';
import { claimOf, fenceOf, running, suspended, suspendNow, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

const EDITED: EditedArguments = {
  received: '{"order":2}',
  validated: '{"order":2}',
  argumentsDigest: 'digest-2',
  shown: { order: 2 },
  hidden: [],
};

export function describeVotes(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  const verdicts = async (...votes: Parameters<typeof yes>[]): Promise<string[]> =>
    (await opened().store.vote(votes.map((vote) => yes(...vote)))).votes.map(({ verdict }) => verdict);

  describe('deciding', () => {
    it('records one yes as the decision, with its words, and says which runs can go on', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await suspended(opened());
      const vote = yes(approvalId, 'bob', { reason: 'fine', note: 'be kind', argumentsDigest: 'digest-1' });
      const result = await store.vote([vote]);
      const approval = await reader.approval(approvalId);
      expect(result).toEqual({ accepted: true, votes: [{ verdict: 'recorded', approval }], ready: [run.id] });
      expect(approval).toMatchObject({
        status: 'approved',
        reason: 'fine',
        note: 'be kind',
        decidedBy: ['bob'],
        votes: [{ principalId: 'bob', approved: true, reason: 'fine', note: 'be kind', at: expect.any(Date) }],
        executeBefore: new Date((approval?.decidedAt?.getTime() ?? 0) + 30_000),
      });
    });

    it('ends with one denial, and lets the run go on', async () => {
      const { store } = opened();
      const { run, approvalId } = await suspended(opened(), { approvers: { quorum: 3 } });
      await store.vote([yes(approvalId, 'bob')]);
      const result = await store.vote([no(approvalId, 'cleo', { reason: 'too much' })]);
      expect(result.votes[0]?.approval).toMatchObject({ status: 'denied', reason: 'too much', decidedBy: ['cleo'] });
      expect(result.votes[0]?.approval?.executeBefore).toBeUndefined();
      expect(result.ready).toEqual([run.id]);
    });

    it('counts distinct people: the same one twice is one', async () => {
      const { store, reader } = opened();
      const { approvalId } = await waiting(opened(), { approvers: { quorum: 2 } });
      expect(await verdicts([approvalId, 'bob'])).toEqual(['recorded']);
      expect(await verdicts([approvalId, 'bob'])).toEqual(['repeated']);
      expect((await reader.approval(approvalId))?.status).toBe('pending');
      expect((await store.vote([no(approvalId, 'bob')])).votes[0]?.verdict).toBe('conflict');
      expect(await verdicts([approvalId, 'cleo'])).toEqual(['recorded']);
      expect(await reader.approval(approvalId)).toMatchObject({ status: 'approved', decidedBy: ['bob', 'cleo'] });
    });

    it('takes the same answer again as a repetition by anyone, another one as a conflict', async () => {
      const { store } = opened();
      const { approvalId } = await waiting(opened());
      await store.vote([no(approvalId, 'bob')]);
      expect(await store.vote([no(approvalId, 'cleo')])).toMatchObject({
        accepted: true,
        votes: [{ verdict: 'repeated' }],
      });
      expect(await store.vote([yes(approvalId, 'bob')])).toMatchObject({
        accepted: false,
        votes: [{ verdict: 'conflict' }],
      });
    });

    it('goes on saying so once the call was claimed and settled', async () => {
      const { store } = opened();
      const { run, approvalId } = await waiting(opened());
      await store.vote([yes(approvalId)]);
      await store.claim(fenceOf(run), claimOf(approvalId));
      expect(await verdicts([approvalId])).toEqual(['repeated']);
      await store.settle(fenceOf(run), approvalId, { status: 'completed', outcome: 'success', content: 'ok' });
      expect(await verdicts([approvalId, 'eve'])).toEqual(['repeated']);
      expect((await store.vote([no(approvalId)])).votes[0]?.verdict).toBe('conflict');
    });

    it('counts nothing for other arguments than the stored ones', async () => {
      const { reader } = opened();
      const { approvalId } = await waiting(opened());
      expect(await verdicts([approvalId, 'bob', { argumentsDigest: 'digest-9' }])).toEqual(['digest']);
      expect(await reader.approval(approvalId)).toMatchObject({ status: 'pending', votes: [] });
    });

    it('keeps an edit beside the original; its digest is the one to be claimed', async () => {
      const { store } = opened();
      const { run, approvalId } = await waiting(opened());
      const edit = yes(approvalId, 'bob', { argumentsDigest: 'digest-1', edited: EDITED });
      const [result] = (await store.vote([edit])).votes;
      expect(result?.approval).toMatchObject({
        status: 'approved',
        args: { order: 1, secret: '[redacted]' },
        editedArgs: { order: 2 },
        received: '{"order":2}',
        validated: '{"order":2}',
        argumentsDigest: 'digest-2',
      });
      expect((await store.vote([edit])).votes[0]?.verdict).toBe('repeated');
      const otherEdit = { ...edit, edited: { ...EDITED, argumentsDigest: 'digest-3' } };
      expect((await store.vote([otherEdit])).votes[0]?.verdict).toBe('conflict');
      expect(await verdicts([approvalId, 'cleo', { argumentsDigest: 'digest-1' }])).toEqual(['conflict']);
      expect(await verdicts([approvalId, 'cleo', { argumentsDigest: 'digest-2' }])).toEqual(['repeated']);
      expect(await store.claim(fenceOf(run), claimOf(approvalId))).toBe('refused');
      expect(await store.claim(fenceOf(run), { ...claimOf(approvalId), argumentsDigest: 'digest-2' })).toBe('claimed');
    });

    it('finds nothing to decide in unknown ids', async () => {
      expect(await opened().store.vote([yes(newId()), yes('no-id')])).toEqual({
        accepted: false,
        votes: [{ verdict: 'unknown' }, { verdict: 'unknown' }],
        ready: [],
      });
    });

    it('marks as expired what nobody answered in time, whatever the answer', async () => {
      const { reader, moveTime } = opened();
      const { approvalId } = await waiting(opened());
      await moveTime(60_001);
      expect(await verdicts([approvalId])).toEqual(['expired']);
      expect(await reader.approval(approvalId)).toMatchObject({ status: 'expired', votes: [], decidedBy: [] });
      expect(await verdicts([approvalId, 'cleo', { argumentsDigest: 'other' }])).toEqual(['expired']);
    });

    it('is a conflict once the approval was superseded', async () => {
      const { store } = opened();
      const { run, approvalId } = await waiting(opened());
      await store.requestApproval(fenceOf(run), anApproval(run, { operationId: await operationOf(approvalId) }));
      expect(await verdicts([approvalId])).toEqual(['conflict']);
    });

    it('counts all votes or none; a deadline that passed is marked even so', async () => {
      const { store, reader, moveTime } = opened();
      const run = await running(opened());
      const ask = async (expiresInMs: number): Promise<string> =>
        (await store.requestApproval(fenceOf(run), anApproval(run, { expiresInMs }))).id;
      const [short, long] = [await ask(1000), await ask(60_000)];
      await suspendNow(opened(), run);
      await moveTime(1001);
      const result = await store.vote([yes(long), yes(short)]);
      expect(result).toMatchObject({
        accepted: false,
        votes: [{ verdict: 'recorded' }, { verdict: 'expired' }],
        ready: [],
      });
      expect(await reader.approval(long)).toMatchObject({ status: 'pending', votes: [] });
      expect((await reader.approval(short))?.status).toBe('expired');
      expect(await store.vote([yes(long)])).toMatchObject({ accepted: true, ready: [run.id] });
    });

    it('judges the votes of one call one after another', async () => {
      const { store } = opened();
      const { approvalId } = await waiting(opened(), { approvers: { quorum: 2 } });
      const contrary = await store.vote([yes(approvalId, 'bob'), no(approvalId, 'bob')]);
      expect(contrary.votes.map(({ verdict }) => verdict)).toEqual(['recorded', 'conflict']);
      expect(contrary.accepted).toBe(false);
      const both = await store.vote([yes(approvalId, 'bob'), yes(approvalId, 'cleo')]);
      expect(both.votes.map(({ approval }) => approval?.status)).toEqual(['approved', 'approved']);
    });

    it('says a run can go on only when nothing of it is pending', async () => {
      const { store } = opened();
      const { run, approvalId } = await waiting(opened());
      const second = await store.requestApproval(fenceOf(run), anApproval(run));
      await suspendNow(opened(), run);
      expect((await store.vote([yes(approvalId)])).ready).toEqual([]);
      expect((await store.vote([no(second.id)])).ready).toEqual([run.id]);
      expect((await store.vote([no(second.id)])).ready).toEqual([run.id]);
    });
  });

  const operationOf = async (id: string): Promise<string> => (await opened().reader.approval(id))?.operationId ?? '';
}
