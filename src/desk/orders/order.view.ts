import { inEuros } from '../money.js';
import type { Order } from './order.entity.js';

/** An order as the agent reads it. */
export interface OrderView {
  readonly order: number;
  readonly customer: number;
  readonly item: string;
  readonly status: Order['status'];
  readonly total: string;
}

export const orderView = ({ id, customerId, item, status, totalCents }: Order): OrderView => ({
  order: id,
  customer: customerId,
  item,
  status,
  total: inEuros(totalCents),
});
