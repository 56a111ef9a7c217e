import { Injectable } from '@nestjs/common';
import { DestructiveTool, RequireApproval, Tool, type ToolCall } from 'nest-gatehouse';

import { Gate } from './gate.js';

const ORDER = {
  type: 'object',
  properties: { order: { type: 'integer' }, amount: { type: 'integer' } },
  required: ['order'],
  additionalProperties: false,
};

export interface Order {
  readonly order: number;
  readonly amount?: number;
}

/** The tools of the desk, and what was really done with them. */
@Injectable()
export class DeskTools {
  readonly done: string[] = [];
  /** Holds `slow` until the test opens it, or the run is cancelled. */
  slowly = new Gate();
  /** Holds the summary of `refund`. */
  readonly summing = new Gate(true);

  /** What `lookup` throws. */
  failing: Error | undefined;

  /** The next `slow` waits at a gate of its own. */
  hold(): Gate {
    return (this.slowly = new Gate());
  }

  @Tool({ description: 'Look up one order', parameters: ORDER })
  lookup(args: Order): string {
    if (this.failing !== undefined) throw this.failing;
    this.done.push(`lookup ${args.order}`);
    return `order ${args.order}`;
  }

  @DestructiveTool({ description: 'Refund an order', parameters: ORDER })
  @RequireApproval<Order>({ summary: (args) => `Refund order ${args.order}`, editable: ['amount'] })
  refund(args: Order): string {
    this.done.push(`refund ${args.order} ${args.amount ?? 0}`);
    return 'refunded';
  }

  @DestructiveTool({ description: 'Delete an order', parameters: ORDER })
  @RequireApproval<Order>({ approvers: { roles: ['finance'], notRequester: true } })
  remove(args: Order): string {
    this.done.push(`remove ${args.order}`);
    return 'removed';
  }

  @Tool({ description: 'Takes its time', parameters: ORDER })
  async slow(_args: Order, call: ToolCall): Promise<string> {
    this.done.push('slow started');
    await this.slowly.pass(call.signal);
    return 'slow done';
  }
}
