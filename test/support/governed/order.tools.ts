import { Injectable } from '@nestjs/common';
import { IsInt, IsNumber, IsPositive } from 'class-validator';
import {
  Agent,
  DestructiveTool,
  RequireApproval,
  Tool,
  ToolCall,
  ToolFailedError,
  ToolRetryError,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
} from 'nest-gatehouse';

export class OrderDto {
  @IsInt()
  order!: number;
}

export class RefundDto extends OrderDto {
  @IsNumber()
  @IsPositive()
  amount!: number;
}

/** What went into each method, in order: only what ran is here. */
@Injectable()
export class Bodies {
  readonly ran: string[] = [];
}

@Injectable()
export class OrderTools {
  /** What `odd` returns. */
  odd: unknown = 'plain';
  calls: ToolCall[] = [];
  /** Lets `deaf` return. */
  release: () => void = () => undefined;
  private readonly letGo = new Promise<void>((resolve) => (this.release = resolve));
  /** What happens while `lookup` runs. */
  before?: () => Promise<void> | void;

  constructor(private readonly bodies: Bodies) {}

  @Tool('Look up one order')
  async lookup({ order }: OrderDto, call: ToolCall) {
    await this.before?.();
    this.calls.push(call);
    this.bodies.ran.push(`lookup ${order}`);
    return { order, status: 'shipped' };
  }

  @DestructiveTool('Refund an order')
  @RequireApproval({
    editable: ['amount'],
    summary: (args: RefundDto) => `Refund ${args.amount} of order ${args.order}`,
  })
  refund({ order, amount }: RefundDto, call: ToolCall) {
    this.calls.push(call);
    this.bodies.ran.push(`refund ${order} ${amount}`);
    return `refunded ${amount}`;
  }

  @Tool('Fails like a driver')
  broken() {
    this.bodies.ran.push('broken');
    const error = new Error('connect ECONNREFUSED postgres://desk:hunter2@10.0.0.1/desk');
    throw Object.assign(error, { name: 'QueryFailedError', query: 'SELECT secret FROM orders' });
  }

  @Tool('Fails with words for the model')
  declined() {
    throw new ToolFailedError('The order is closed.');
  }

  @Tool('Asks again')
  picky() {
    this.bodies.ran.push('picky');
    throw new ToolRetryError('Say which one.');
  }

  @Tool('Returns something odd')
  returnOdd() {
    return this.odd;
  }

  @Tool({ description: 'Waits for the signal', parameters: { type: 'object', additionalProperties: false } })
  async patient(_: object, { signal }: ToolCall) {
    this.bodies.ran.push('patient');
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }

  @Tool('Ignores the signal')
  async deaf() {
    this.bodies.ran.push('deaf');
    await this.letGo;
    return 'late';
  }
}

/** Proposes one refund; once it is answered, says what came of it. Named, so that any process resumes it. */
@Agent({ name: 'desk' })
export class DeskAgent implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const results = run.resumed ?? (await run.callBatch([{ toolName: 'refund', args: { order: 7, amount: 25 } }]));
    return { value: results[0]?.content };
  }
}
