import { Injectable, type Provider } from '@nestjs/common';
import {
  Agent,
  DestructiveTool,
  RequireApproval,
  Tool,
  type JsonSchema,
  type JsonValue,
  type RunCandidate,
  type RunContext,
} from 'nest-gatehouse';

// Written out: what a schema library makes of its own schemas changes with its versions, and the tool's fingerprint with it.
const N: JsonSchema = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
  additionalProperties: false,
};

/** `send` is free, `erase` waits, `broken` fails. A stored approval covers them as they are: whoever changes them voids the golden runs. */
@Injectable()
export class GoldenTools {
  readonly ran: string[] = [];

  @Tool({ description: 'Sends', parameters: N })
  send({ n }: { n: number }): string {
    this.ran.push(`send ${n}`);
    return `sent ${n}`;
  }

  @DestructiveTool({ description: 'Erases', parameters: N })
  @RequireApproval({ editable: ['n'] })
  erase({ n }: { n: number }): string {
    this.ran.push(`erase ${n}`);
    return `erased ${n}`;
  }

  @Tool({ description: 'Fails', parameters: N })
  broken(): never {
    // A stack of its own: the real one names the machine that the golden run was made on.
    throw Object.assign(new RangeError('out of paper'), { stack: 'RangeError: out of paper\n    at Printer.print' });
  }
}

/** A response whose call fails, then one in which two calls wait between two that do not. Says what it finds when it goes on. */
@Agent({ name: 'golden', limits: { toolCalls: 77 } })
export class GoldenAgent {
  async execute(run: RunContext): Promise<RunCandidate> {
    if (run.resumed === undefined) {
      await run.admitRequest();
      await run.callBatch([{ toolName: 'broken', args: { n: 0 }, toolCallId: 'c0' }], {
        text: 'Let me see.',
        inputTokens: 11,
        outputTokens: 5,
      });
      await run.admitRequest();
      run.state['plan'] = { erase: [2, 4], 'not "plain"': '\u2028' };
      const named = ['send', 'erase', 'send', 'erase'];
      const calls = named.map((toolName, at) => ({ toolName, args: { n: at + 1 }, toolCallId: `c${at + 1}` }));
      await run.callBatch(calls, { text: 'Two of these need you.', inputTokens: 20, outputTokens: 7 });
    }
    const { resumed = [], state, usage, limits, messages } = run;
    const found = {
      results: resumed.map(({ toolCallId, status, content }) => `${toolCallId} ${status}: ${content}`),
      state,
      usage: { ...usage },
      toolCalls: limits.toolCalls,
      messages: messages.map(({ role }) => role),
    };
    return { value: found as unknown as JsonValue };
  }
}

export const GOLDEN: Provider[] = [GoldenTools, GoldenAgent];
