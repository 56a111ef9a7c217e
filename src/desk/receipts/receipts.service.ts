import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Customer } from '../customers/customer.entity.js';
import { Order } from '../orders/order.entity.js';
import { OrderNotFoundError } from '../orders/order-not-found.error.js';

/** Sends receipts. A demo: it only notes that it did. */
@Injectable()
export class ReceiptsService {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  /** The address that the receipt went to. Throws `OrderNotFoundError`. */
  async send(organizationId: string, id: number): Promise<string> {
    return this.orders.manager.transaction(async (manager) => {
      const order = await manager.findOneBy(Order, { organizationId, id });
      if (order === null) throw new OrderNotFoundError(id);
      const { email } = await manager.findOneByOrFail(Customer, { id: order.customerId });
      await manager.update(Order, { id }, { receiptSentAt: () => 'clock_timestamp()' });
      return email;
    });
  }
}
