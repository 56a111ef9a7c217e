import { RefundTooLargeError } from '../../src/desk/refunds/refund-too-large.error.js';
import { RefundsService } from '../../src/desk/refunds/refunds.service.js';
import { openDesk, type Desk } from './support/desk.js';

describe('RefundsService', () => {
  let desk: Desk;
  let service: RefundsService;
  beforeAll(async () => {
    desk = await openDesk();
    service = desk.app.get(RefundsService, { strict: false });
  });
  afterAll(() => desk?.close());

  const refund = (order: number, amount: number, idempotencyKey: string) =>
    service.refund({ organizationId: 'acme', order, amount, idempotencyKey });

  it('pays once for a key, also when both tries come at the same time', async () => {
    const [one, other] = await Promise.all([refund(1005, 2500, 'twice'), refund(1005, 2500, 'twice')]);
    expect(one).toEqual(other);
    expect(await desk.query(`select amount_cents from desk.refunds where order_id = 1005`)).toEqual([
      { amount_cents: 2500 },
    ]);
  });

  it('never pays more than the order in all, also when the refunds come at the same time', async () => {
    const [{ total = 0 } = {}] = await desk.query<{ total: number }>(
      'select total_cents as total from desk.orders where id = 1006',
    );
    const half = Math.ceil(total / 2) + 1;
    const outcomes = await Promise.allSettled([refund(1006, half, 'a'), refund(1006, half, 'b')]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(RefundTooLargeError);
    await refund(1006, total - half, 'the rest');
    await expect(refund(1006, 1, 'one cent more')).rejects.toThrow('has 0.00 EUR left');
  });

  it("knows no other organization's orders", async () => {
    const request = { organizationId: 'other', order: 1005, amount: 1, idempotencyKey: 'foreign' };
    await expect(service.refund(request)).rejects.toThrow('There is no order 1005.');
  });
});
