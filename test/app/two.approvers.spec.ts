import type { ApprovalRequest } from 'nest-gatehouse';
import { openDesk, type Desk } from './support/desk.js';

describe('deleting a customer at the reference app', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk?.close());

  const customer7 = async () => (await desk.query('select id from desk.customers where id = 7')).length;
  const statusOf = async (response: Response) => ((await response.json()) as ApprovalRequest).status;
  const yes = { approved: true };

  it('needs two approvers: the first word leaves it pending, the second one runs it', async () => {
    const told = await desk.as('support').ask('delete customer 7');
    const first = await desk.as('approver').decide(told.approvalId, yes);
    expect([first.status, await statusOf(first)]).toEqual([200, 'pending']);
    expect(await customer7()).toBe(1);

    const second = await desk.as('approver2').decide(told.approvalId, yes);
    expect(second.status).toBe(200);
    const whole = await desk.as('support').follow(told.runId);
    expect(whole.results.map((content): unknown => JSON.parse(content))).toEqual([
      { customer: 7, name: 'Greta Graf', deletedOrders: 5 },
    ]);
    expect(await customer7()).toBe(0);
    const [approval] = await desk.as('approver').approvals(told.runId);
    expect(approval?.votes.map(({ principalId, approved }) => [principalId, approved])).toEqual([
      ['approver', true],
      ['approver2', true],
    ]);
    expect(await desk.as('auditor').executions(told.runId)).toMatchObject([
      { toolName: 'delete_customer', success: true, targetType: 'customer', targetId: '7' },
    ]);
  });

  it('the same approver twice is one word', async () => {
    const told = await desk.as('support').ask('delete customer 7');
    await desk.as('approver').decide(told.approvalId, yes);
    const again = await desk.as('approver').decide(told.approvalId, yes);
    expect([again.status, await statusOf(again)]).toEqual([200, 'pending']);
    expect(await customer7()).toBe(1);
  });

  it('may not be decided by whoever asked, be it support or an approver', async () => {
    for (const requester of ['support', 'approver']) {
      const told = await desk.as(requester).ask('delete customer 7');
      const response = await desk.as(requester).decide(told.approvalId, yes);
      expect([response.status, ((await response.json()) as { readonly code: string }).code]).toEqual([
        403,
        'approval_forbidden',
      ]);
    }
    expect(await customer7()).toBe(1);
  });

  it('one no ends it, also after a yes', async () => {
    const told = await desk.as('support').ask('delete customer 7');
    await desk.as('approver').decide(told.approvalId, yes);
    await desk.as('approver2').decide(told.approvalId, { approved: false, reason: 'Still under contract.' });
    const whole = await desk.as('support').follow(told.runId);
    expect(whole.results).toEqual(['Still under contract.']);
    expect(await customer7()).toBe(1);
    expect(await desk.as('auditor').executions(told.runId)).toEqual([]);
  });
});
