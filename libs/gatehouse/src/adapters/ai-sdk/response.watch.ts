import type { ProposedCall } from '../../contracts/operation.js';

/** What every version of the provider interface (v2, v3, v4) streams. */
export interface StreamPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
}

/**
 * Looks at a response before the SDK does. The SDK parses arguments and replaces what it cannot parse, while the pipeline must judge the model's
 * own text, duplicate keys and all; and it calls a stream that breaks off without an error finished.
 */
export class ResponseWatch {
  private readonly proposed: ProposedCall[] = [];
  private ended = false;

  /** The calls in emission order, their arguments as written. Calls a provider runs itself are not ours. */
  get calls(): readonly ProposedCall[] {
    return this.proposed;
  }

  /** Whether the model said that its response is complete. */
  get finished(): boolean {
    return this.ended;
  }

  see({ type, toolCallId, toolName = '', input, providerExecuted = false }: StreamPart): void {
    if (type === 'finish') this.ended = true;
    if (type === 'tool-call' && !providerExecuted) this.proposed.push({ toolCallId, toolName, args: input });
  }
}
