import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { OrderNotFoundError } from './order-not-found.error.js';
import { Order } from './order.entity.js';

/** Reads the orders of an organization. */
@Injectable()
export class OrdersService {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  /** Throws `OrderNotFoundError`. */
  async get(organizationId: string, id: number): Promise<Order> {
    const order = await this.orders.findOneBy({ organizationId, id });
    if (order === null) throw new OrderNotFoundError(id);
    return order;
  }

  /** Oldest first, at most `limit`. */
  async ofCustomer(organizationId: string, customerId: number, limit: number): Promise<readonly Order[]> {
    return this.orders.find({ where: { organizationId, customerId }, order: { id: 'ASC' }, take: limit });
  }
}
