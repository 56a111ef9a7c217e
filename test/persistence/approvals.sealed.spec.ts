import { rolesScript } from '../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import { anApproval, yes } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { fenceOf, running } from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

describe('approvals as evidence', () => {
  let test: OpenedDatabase;
  let runId: string;
  let approvalId: string;
  let threadId: string;
  const sql = (text: string): Promise<unknown> => test.source.query(text);
  const shown = async (): Promise<unknown> =>
    test.source.query(
      `SELECT decision, decided_by, reason, decided_at, requested_by, summary, status, votes FROM gatehouse.approval WHERE id = $1`,
      [approvalId],
    );
  const told = async (): Promise<unknown> =>
    (await test.evidence.approvals({ runId, approver: 'bob', principalId: 'ann', threadId })).items;
  const kinds = async (): Promise<readonly string[]> =>
    (await test.evidence.approvalEvents({ runId, threadId })).items.map(({ kind }) => kind);

  beforeEach(async () => {
    test = await openDatabase();
    await test.source.query(rolesScript('gatehouse'));
    const run = await running(test);
    [runId, threadId] = [run.id, run.threadId];
    const { id } = await test.store.requestApproval(fenceOf(run), anApproval(run));
    approvalId = id;
    await test.store.vote([yes(id, 'bob', { reason: 'fine by bob' })]);
  });
  afterEach(() => test.close());

  it('reads the same before and after the facts are sealed', async () => {
    const before = [await shown(), await told()];
    expect(before).toMatchObject([
      [{ decision: true, decided_by: ['bob'], reason: 'fine by bob', requested_by: 'ann', status: 'approved' }],
      [
        {
          decidedBy: ['bob'],
          reason: 'fine by bob',
          requestedBy: 'ann',
          votes: [{ principalId: 'bob', reason: 'fine by bob' }],
        },
      ],
    ]);
    await test.evidence.moveFacts();
    expect([await shown(), await told()]).toEqual(before);
  });

  it.each(['on their way', 'sealed'])(
    'says who decided, when and what, whoever rewrites the working rows: facts %s',
    async (where) => {
      if (where === 'sealed') await test.evidence.moveFacts();
      const before = [await shown(), await told()];
      await sql(`SET ROLE gatehouse_writer; UPDATE gatehouse.approval_vote SET principal_id = 'mallory', reason = 'forged', approved = false, at = '2020-01-01Z';
      UPDATE gatehouse.approval_request SET decided_at = '2020-01-01Z', requested_at = '2020-01-01Z', decision = false, reason = 'forged',
        requested_by = 'nobody', summary = 'harmless', tool_name = 'other', arguments_digest = 'other'; RESET ROLE`);
      expect([await shown(), await told()]).toEqual(before);
    },
  );

  it('shows what was sealed of an approval whose row is gone', async () => {
    await test.evidence.moveFacts();
    const [before, happened] = [await shown(), await kinds()];
    expect(happened).toEqual(['decided', 'voted', 'requested']);
    await sql('DELETE FROM gatehouse.approval_vote; DELETE FROM gatehouse.approval_request');
    expect([await shown(), await kinds()]).toEqual([before, happened]);
    expect(await told()).toMatchObject([
      {
        id: approvalId,
        toolName: 'refund',
        status: 'approved',
        args: null,
        hidden: [''],
        decidedBy: ['bob'],
        approvers: {},
      },
    ]);
  });
});
