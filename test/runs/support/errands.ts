import { Injectable } from '@nestjs/common';
import {
  Agent,
  CallDeferred,
  DestructiveTool,
  RequireApproval,
  Tool,
  ToolCall,
  type JsonValue,
  type ProposedCall,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
} from 'nest-gatehouse';

const parameters = { type: 'object' } as const;

/** Tools of which some are done by somebody outside. `ran` says what each method was started with. */
@Injectable()
export class Errands {
  readonly ran: string[] = [];
  /** What happens while `lookup` runs. */
  before?: (runId: string) => Promise<void>;

  @Tool({ description: 'Print something', parameters })
  print(args: object): never {
    this.ran.push(`print ${JSON.stringify(args)}`);
    throw new CallDeferred({ queue: 'printers', token: 'canary' });
  }

  @Tool({ description: 'Look something up', parameters })
  async lookup(args: object, call: ToolCall) {
    this.ran.push(`lookup ${JSON.stringify(args)}`);
    await this.before?.(call.runId);
    return 'found';
  }

  @DestructiveTool({ description: 'Pay', parameters })
  @RequireApproval()
  pay(args: object) {
    this.ran.push(`pay ${JSON.stringify(args)}`);
    return 'paid';
  }

  @DestructiveTool({ description: 'Ship it', parameters })
  @RequireApproval()
  ship(args: object): never {
    this.ran.push(`ship ${JSON.stringify(args)}`);
    throw new CallDeferred({ carrier: 'DHL' });
  }
}

/** Proposes what `state.calls` says as one response; its result is what became of each. Named, so that any process resumes it. */
@Agent({ name: 'errands' })
export class ErrandAgent implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const calls = run.state['calls'] as unknown as readonly ProposedCall[];
    const results = run.resumed ?? (await run.callBatch(calls));
    return { value: results.map(({ outcome, content }) => `${outcome} ${content}`) };
  }
}

/** The state that makes the agent propose these calls, their ids `c0`, `c1` and so on. */
export const proposing = (...tools: readonly string[]): Record<string, JsonValue> => ({
  calls: tools.map((toolName, at) => ({ toolName, toolCallId: `c${at}`, args: { n: at } })),
});
