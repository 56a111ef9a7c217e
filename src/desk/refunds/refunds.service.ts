import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { OrderNotFoundError } from '../orders/order-not-found.error.js';
import { Order } from '../orders/order.entity.js';
import { RefundTooLargeError } from './refund-too-large.error.js';
import { Refund } from './refund.entity.js';

/** What to refund. `amount` is cents. */
export interface RefundRequest {
  readonly organizationId: string;
  readonly order: number;
  readonly amount: number;
  readonly idempotencyKey: string;
}

/** A refund that was made, and what is left of the order. Cents. */
export interface RefundReceipt {
  readonly refund: number;
  readonly order: number;
  readonly amount: number;
  readonly left: number;
}

/** Pays money back, never more than was paid, and once for each key. */
@Injectable()
export class RefundsService {
  constructor(@InjectRepository(Refund) private readonly refunds: Repository<Refund>) {}

  /** A repeated key answers with the refund that was made. Throws `OrderNotFoundError` and `RefundTooLargeError`. */
  async refund(request: RefundRequest): Promise<RefundReceipt> {
    return this.refunds.manager.transaction(async (manager) => {
      const order = await lockedOrder(manager, request);
      const left = order.totalCents - (await refunded(manager, order.id));
      const made = await manager.findOneBy(Refund, { idempotencyKey: request.idempotencyKey });
      if (made !== null) return receipt(made, left);
      if (request.amount > left) throw new RefundTooLargeError(order.id, request.amount, left);
      const { order: orderId, amount: amountCents, idempotencyKey } = request;
      const refund = await manager.save(Refund, { orderId, amountCents, idempotencyKey });
      return receipt(refund, left - refund.amountCents);
    });
  }
}

// Two refunds of one order wait for each other here, so neither overlooks the other's amount.
async function lockedOrder(manager: EntityManager, { organizationId, order: id }: RefundRequest): Promise<Order> {
  const lock = { mode: 'pessimistic_write' } as const;
  const order = await manager.findOne(Order, { where: { organizationId, id }, lock });
  if (order === null) throw new OrderNotFoundError(id);
  return order;
}

const refunded = async (manager: EntityManager, orderId: number): Promise<number> =>
  (await manager.sum(Refund, 'amountCents', { orderId })) ?? 0;

const receipt = ({ id, orderId, amountCents }: Refund, left: number): RefundReceipt => ({
  refund: id,
  order: orderId,
  amount: amountCents,
  left,
});
