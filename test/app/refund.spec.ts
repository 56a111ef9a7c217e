import type { ApprovalRequest } from 'nest-gatehouse';
import { openDesk, type Desk } from './support/desk.js';

describe('a refund at the reference app', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk?.close());

  const refunds = () => desk.query('select order_id, amount_cents from desk.refunds order by id');

  it('waits, is approved by an approver, runs once with exactly those cents, and is on record once', async () => {
    const told = await desk.as('support').ask('refund order 1001 25.00');
    expect(told.last?.outcome?.type).toBe('interrupt');
    expect(await refunds()).toEqual([]);

    const [waiting] = await desk.as('approver').approvals(told.runId);
    expect(waiting).toMatchObject({
      toolName: 'refund_order',
      args: { order: 1001, amount: 2500 },
      summary: 'Refund 25.00 EUR of order 1001',
      risk: 'medium',
      status: 'pending',
      requestedBy: 'support',
      editable: ['amount'],
    });
    const decision = await desk.as('approver').decide(told.approvalId, { approved: true });
    expect([decision.status, ((await decision.json()) as ApprovalRequest).decidedBy]).toEqual([200, ['approver']]);

    const whole = await desk.as('support').follow(told.runId);
    expect(whole.results.map((content): unknown => JSON.parse(content))).toEqual([
      { refund: 1, order: 1001, refunded: '25.00 EUR', left: '974.00 EUR' },
    ]);
    expect(whole.last?.outcome).toEqual({ type: 'success' });
    expect(await refunds()).toEqual([{ order_id: 1001, amount_cents: 2500 }]);

    const executions = await desk.as('auditor').executions(told.runId);
    expect(executions).toEqual([
      expect.objectContaining({
        kind: 'tool',
        toolName: 'refund_order',
        argumentsRepr: '{"amount":2500,"order":1001}',
        success: true,
        error: null,
        organizationId: 'acme',
        principalId: 'support',
        targetType: 'order',
        targetId: '1001',
      }),
    ]);
  });

  it('is decided by support, too', async () => {
    const told = await desk.as('support').ask('refund order 1001 25.00');
    expect((await desk.as('support').decide(told.approvalId, { approved: true })).status).toBe(200);
    await desk.as('support').follow(told.runId);
    expect(await refunds()).toEqual([{ order_id: 1001, amount_cents: 2500 }]);
  });

  it('pays what the approver made of it: the amount is editable', async () => {
    const told = await desk.as('support').ask('refund order 1001 25.00');
    const editedArgs = { order: 1001, amount: 1000 };
    expect((await desk.as('approver').decide(told.approvalId, { approved: true, editedArgs })).status).toBe(200);
    await desk.as('support').follow(told.runId);
    expect(await refunds()).toEqual([{ order_id: 1001, amount_cents: 1000 }]);
  });

  it('cannot be turned into the refund of another order', async () => {
    const told = await desk.as('support').ask('refund order 1001 25.00');
    const editedArgs = { order: 1002, amount: 2500 };
    expect((await desk.as('approver').decide(told.approvalId, { approved: true, editedArgs })).status).toBe(422);
    expect(await desk.as('approver').approvals(told.runId)).toMatchObject([{ status: 'pending', votes: [] }]);
  });

  it('pays nothing when denied; the model reads the reason, and nothing was executed', async () => {
    const told = await desk.as('support').ask('refund order 1001 25.00');
    await desk.as('approver').decide(told.approvalId, { approved: false, reason: 'The parcel was delivered.' });
    const whole = await desk.as('support').follow(told.runId);
    expect(whole.results).toEqual(['The parcel was delivered.']);
    expect(whole.text).toBe('[scripted model] refund_order: The parcel was delivered.');
    expect(await refunds()).toEqual([]);
    expect(await desk.as('auditor').executions(told.runId)).toEqual([]);
    expect(await desk.as('auditor').operations(told.runId)).toMatchObject([
      { toolName: 'refund_order', status: 'denied', decidedBy: 'person', executionStarted: false },
    ]);
  });

  it('pays nothing beyond the order, and says why', async () => {
    const told = await desk.as('support').ask('refund order 1001 1000.00');
    await desk.as('approver').decide(told.approvalId, { approved: true });
    const whole = await desk.as('support').follow(told.runId);
    const refusal = 'Order 1001 has 999.00 EUR left to refund, which is less than 1000.00 EUR. Nothing was refunded.';
    expect(whole.results).toEqual([refusal]);
    expect(await refunds()).toEqual([]);
    expect(await desk.as('auditor').executions(told.runId)).toMatchObject([
      { toolName: 'refund_order', success: false, error: `RefundTooLargeError: ${refusal}` },
    ]);
  });

  it('waits beside a reading call of the same response, which runs at once', async () => {
    const told = await desk.as('support').ask('look up order 1001 and refund order 1001 25.00');
    expect(told.calls.map(([name]) => name)).toEqual(['lookup_order', 'refund_order']);
    expect(told.results).toHaveLength(1);
    expect(await desk.as('auditor').executions(told.runId)).toMatchObject([
      { toolName: 'lookup_order', success: true },
    ]);
  });
});
