import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Order } from '../orders/order.entity.js';
import { CustomerNotFoundError } from './customer-not-found.error.js';
import { Customer } from './customer.entity.js';

/** What was deleted. */
export interface DeletedCustomer {
  readonly customer: number;
  readonly name: string;
  readonly deletedOrders: number;
}

/** The customers of an organization. */
@Injectable()
export class CustomersService {
  constructor(@InjectRepository(Customer) private readonly customers: Repository<Customer>) {}

  async list(organizationId: string): Promise<readonly Customer[]> {
    return this.customers.find({ where: { organizationId }, order: { id: 'ASC' } });
  }

  /** Deletes a customer with all orders and refunds. Throws `CustomerNotFoundError`. */
  async delete(organizationId: string, id: number): Promise<DeletedCustomer> {
    return this.customers.manager.transaction(async (manager) => {
      const customer = await manager.findOneBy(Customer, { organizationId, id });
      if (customer === null) throw new CustomerNotFoundError(id);
      const deletedOrders = await manager.countBy(Order, { organizationId, customerId: id });
      await manager.delete(Customer, { organizationId, id });
      return { customer: id, name: customer.name, deletedOrders };
    });
  }
}
