import { openDesk, type Desk } from './support/desk.js';

describe('the sentences of the reference app', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.close());

  const lookedUp = {
    order: 1001,
    customer: 1,
    item: 'Desk lamp',
    status: 'delivered',
    total: '999.00 EUR',
  };

  it('"look up order 1001" reads at once, and the answer quotes the result and says that it is scripted', async () => {
    const told = await desk.as('support').ask('look up order 1001');
    expect(told.calls).toEqual([['lookup_order', { order: 1001 }]]);
    expect(told.results.map((content): unknown => JSON.parse(content))).toEqual([lookedUp]);
    expect(told.text).toBe(`[scripted model] lookup_order: ${told.results[0]}`);
    expect(told.last?.outcome).toEqual({ type: 'success' });
  });

  it('"search orders of customer 3" finds the five orders of that customer', async () => {
    const told = await desk.as('support').ask('search orders of customer 3');
    expect(told.calls).toEqual([['search_orders', { customer: 3 }]]);
    const orders = JSON.parse(told.results[0] ?? '') as { readonly order: number }[];
    expect(orders.map(({ order }) => order)).toEqual([1003, 1023, 1043, 1063, 1083]);
  });

  it('"send receipt for order 1001" is destructive but exempt: it runs without a person', async () => {
    const told = await desk.as('support').ask('send receipt for order 1001');
    expect(told.calls).toEqual([['send_receipt', { order: 1001 }]]);
    expect(told.results).toEqual(['The receipt for order 1001 went to ada.adler@example.com.']);
    expect(await desk.query('select id from desk.orders where receipt_sent_at is not null')).toEqual([{ id: 1001 }]);
    expect(told.last?.outcome).toEqual({ type: 'success' });
  });

  it.each([
    ['refund order 1001 25.00', 'refund_order', { order: 1001, amount: 2500 }, 'Refund 25.00 EUR of order 1001'],
    ['delete customer 7', 'delete_customer', { customer: 7 }, 'Delete customer 7 with all orders and refunds'],
    ['export report', 'export_report', {}, 'Export the totals of orders and refunds'],
  ])('"%s" waits for a person and runs nothing', async (text, toolName, args, summary) => {
    const told = await desk.as('support').ask(text);
    expect(told.calls).toEqual([[toolName, args]]);
    expect(told.last?.outcome?.type).toBe('interrupt');
    expect(told.interrupts.map(({ message }) => message)).toEqual([summary]);
    expect(told.results).toEqual([]);
    expect(await desk.as('auditor').executions(told.runId)).toEqual([]);
  });

  it('"export report" is decided by whoever asked for it', async () => {
    const support = desk.as('support');
    const told = await support.ask('export report');
    expect((await desk.as('approver2').decide(told.approvalId, { approved: true })).status).toBe(403);
    expect((await support.decide(told.approvalId, { approved: true })).status).toBe(200);
    const whole = await support.follow(told.runId);
    expect(JSON.parse(whole.results[0] ?? '')).toMatchObject({ orders: 100, refunds: 0, refunded: '0.00 EUR' });
  });

  it('"A and B" puts both calls in one response, "A then B" in two', async () => {
    const support = desk.as('support');
    const together = await support.ask('look up order 1001 and send receipt for order 1002');
    const apart = await support.ask('look up order 1001 then send receipt for order 1002');
    const calls = [
      ['lookup_order', { order: 1001 }],
      ['send_receipt', { order: 1002 }],
    ];
    expect([together.calls, apart.calls]).toEqual([calls, calls]);
    const steps = async (runId: string) => (await desk.as('auditor').operations(runId)).map(({ step }) => step);
    expect([await steps(together.runId), await steps(apart.runId)]).toEqual([
      [1, 1],
      [1, 2],
    ]);
  });

  it('answers a sentence that it does not understand with those that it does, and proposes nothing', async () => {
    const told = await desk.as('support').ask('dance');
    expect(told.calls).toEqual([]);
    expect(told.text).toContain('[scripted model] I only understand: look up order 1001; search orders of customer 3;');
  });

  it('tells the model what it may read of a refusal of the desk itself', async () => {
    const told = await desk.as('support').ask('look up order 999');
    expect(told.results).toEqual(['There is no order 999.']);
    expect(told.last?.outcome).toEqual({ type: 'success' });
  });
});
