import { Injectable } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import {
  Agent,
  AgentRunner,
  CallDeferred,
  RequireApproval,
  Tool,
  ToolCall,
  type RunCandidate,
  type RunExecutor,
} from 'nest-gatehouse';

const ARGUMENTS = {
  parameters: { type: 'object', properties: { order: { type: 'integer' }, password: { type: 'string' } } },
} as const;

/** What an HTTP or database instrumentation would do. */
const own = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  trace.getTracer('of the tool').startActiveSpan(name, (span) => work().finally(() => span.end()));

@Injectable()
export class RefundTools {
  constructor(private readonly runner: AgentRunner) {}

  @Tool({ description: 'Look up one order', ...ARGUMENTS })
  lookup({ order }: { order: number }) {
    return own('SELECT orders', async () => ({ order, token: 'tok-1', status: 'shipped' }));
  }

  @Tool({ description: 'Knows nothing of spans', ...ARGUMENTS })
  plain({ order }: { order: number }) {
    return { order };
  }

  @Tool({ description: 'Fails', ...ARGUMENTS })
  broken(): never {
    throw Object.assign(new Error('hunter2 was refused'), { name: 'QueryFailedError' });
  }

  @Tool({ description: 'Fails under a name of its own making', ...ARGUMENTS })
  odd(): never {
    throw Object.assign(new Error('odd'), { name: 'order 17 failed' });
  }

  @Tool({ description: 'Refund', ...ARGUMENTS })
  @RequireApproval()
  refund({ order }: { order: number }) {
    return `refunded ${order}`;
  }

  @Tool({ description: 'Printed elsewhere', ...ARGUMENTS })
  print(): never {
    throw new CallDeferred({ printer: 'p1' });
  }

  @Tool({ description: 'Asks another agent', ...ARGUMENTS })
  async delegate(_: object, _call: ToolCall) {
    return this.runner.start({ agent: 'helper', input: 'help' }).result();
  }
}

@Agent({ name: 'helper' })
export class HelperAgent implements RunExecutor {
  execute(): Promise<RunCandidate> {
    return Promise.resolve({ value: 'helped' });
  }
}
