import { Injectable, UseInterceptors } from '@nestjs/common';
import { Tool, ToolCall } from 'nest-gatehouse';
import { z } from 'zod';
import { DeskErrorInterceptor } from '../desk-error.interceptor.js';
import { organizationOf } from '../organization.js';
import { OrderDto } from './order.dto.js';
import { type OrderView, orderView } from './order.view.js';
import { OrdersService } from './orders.service.js';

/** Arguments may be described by a DTO class or, as here, by any Standard Schema. */
const Search = z.strictObject({
  customer: z.int().min(1).describe('The customer whose orders are wanted'),
  limit: z.int().min(1).max(50).default(20).describe('At most this many'),
});

/** What an agent may read of orders. Nobody is asked. */
@Injectable()
@UseInterceptors(DeskErrorInterceptor)
export class OrderTools {
  constructor(private readonly orders: OrdersService) {}

  @Tool({
    name: 'lookup_order',
    description: 'Look up one order',
    target: ({ order }: OrderDto) => ({ type: 'order', id: String(order) }),
  })
  async lookupOrder({ order }: OrderDto, call: ToolCall): Promise<OrderView> {
    return orderView(await this.orders.get(organizationOf(call), order));
  }

  @Tool({ name: 'search_orders', description: 'Search the orders of one customer', parameters: Search })
  async searchOrders({ customer, limit }: z.infer<typeof Search>, call: ToolCall): Promise<readonly OrderView[]> {
    return (await this.orders.ofCustomer(organizationOf(call), customer, limit)).map(orderView);
  }
}
