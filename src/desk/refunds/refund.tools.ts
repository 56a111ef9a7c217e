import { Injectable, UseInterceptors } from '@nestjs/common';
import { DestructiveTool, RequireApproval, ToolCall } from 'nest-gatehouse';
import { DeskErrorInterceptor } from '../desk-error.interceptor.js';
import { inEuros } from '../money.js';
import { organizationOf } from '../organization.js';
import { RefundOrderDto } from './refund-order.dto.js';
import { RefundsService } from './refunds.service.js';

/** Refunds, each after a person's yes. */
@Injectable()
@UseInterceptors(DeskErrorInterceptor)
export class RefundTools {
  constructor(private readonly refunds: RefundsService) {}

  @DestructiveTool({
    name: 'refund_order',
    description: 'Refund a part of an order, or all of it',
    target: ({ order }: RefundOrderDto) => ({ type: 'order', id: String(order) }),
  })
  @RequireApproval<RefundOrderDto>({
    approvers: { roles: ['support', 'approver'] },
    editable: ['amount'],
    risk: 'medium',
    summary: ({ order, amount }) => `Refund ${inEuros(amount)} of order ${order}`,
  })
  async refundOrder({ order, amount }: RefundOrderDto, call: ToolCall): Promise<unknown> {
    const { idempotencyKey } = call;
    const made = await this.refunds.refund({ organizationId: organizationOf(call), order, amount, idempotencyKey });
    return { refund: made.refund, order: made.order, refunded: inEuros(made.amount), left: inEuros(made.left) };
  }
}
