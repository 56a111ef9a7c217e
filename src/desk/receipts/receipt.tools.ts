import { Injectable, UseInterceptors } from '@nestjs/common';
import { DestructiveTool, ToolCall } from 'nest-gatehouse';
import { DeskErrorInterceptor } from '../desk-error.interceptor.js';
import { OrderDto } from '../orders/order.dto.js';
import { organizationOf } from '../organization.js';
import { ReceiptsService } from './receipts.service.js';

/** Mail cannot be taken back, so this is destructive by nature; the module exempts it, because it is asked for all day. */
@Injectable()
@UseInterceptors(DeskErrorInterceptor)
export class ReceiptTools {
  constructor(private readonly receipts: ReceiptsService) {}

  @DestructiveTool({
    name: 'send_receipt',
    description: 'Send the receipt of an order to its customer',
    target: ({ order }: OrderDto) => ({ type: 'order', id: String(order) }),
  })
  async sendReceipt({ order }: OrderDto, call: ToolCall): Promise<string> {
    return `The receipt for order ${order} went to ${await this.receipts.send(organizationOf(call), order)}.`;
  }
}
