import type {
  EmittedEvent,
  ProposedCall,
  ResponseFacts,
  RunCandidate,
  RunContext,
  ThreadMessage,
  ToolCallResult,
  ToolDefinition,
  ToolOutcome,
} from 'nest-gatehouse';

/** How one call is answered: what the model reads, and how it went. */
export interface Answer {
  readonly outcome: ToolOutcome;
  readonly content: string;
}

export interface RecordedRunOptions {
  readonly thread?: readonly ThreadMessage[];
  readonly tools?: readonly string[];
  readonly signal?: AbortSignal;
  readonly instructions?: string;
  readonly resumed?: readonly ToolCallResult[];
  /** Default: every call succeeds with the text `ok`. May throw, as the session does. */
  answer?(call: ProposedCall): Answer;
  /** Admits so many requests, then throws, as the session does at a limit. */
  readonly stopAfter?: { readonly requests: number; readonly error: Error };
  onEvent?(event: EmittedEvent): void;
}

/** A run as an executor sees it: keeps the thread as the session does, and remembers everything it was told. */
export class RecordedRun implements RunContext {
  readonly runId = 'run-1';
  readonly threadId = 'thread-1';
  readonly agent = 'support';
  readonly state = {};
  readonly events: EmittedEvent[] = [];
  readonly batches: { readonly calls: readonly ProposedCall[]; readonly facts: ResponseFacts | undefined }[] = [];
  readonly messages: ThreadMessage[];
  readonly signal: AbortSignal;
  readonly instructions?: string;
  readonly resumed?: readonly ToolCallResult[];
  output?: RunCandidate;
  readonly usage = { requests: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 };
  readonly limits = {
    ...{
      steps: 50,
      toolCalls: 200,
      callsPerResponse: 64,
      toolRetries: 1,
      outputRetries: 1,
      redirects: 1,
      repeatedRefusals: 3,
    },
    ...{ toolRefusals: 5, pendingApprovals: 20, depth: 5, parallelToolCalls: 8, decisionTimeout: 30_000 },
  };

  constructor(private readonly options: RecordedRunOptions = {}) {
    this.messages = [...(options.thread ?? [{ id: 'm-1', role: 'user', text: 'hello' }])];
    this.signal = options.signal ?? new AbortController().signal;
    if (options.instructions !== undefined) this.instructions = options.instructions;
    if (options.resumed !== undefined) this.resumed = options.resumed;
  }

  /** What was emitted, ids replaced by their order: the first message is #1. */
  get told(): string[] {
    const ids = [...new Set(this.events.flatMap((event) => ('messageId' in event ? [event.messageId] : [])))];
    return this.events.map((event) => {
      if (event.type === 'custom') return event.type;
      const name = `${event.type} #${ids.indexOf(event.messageId) + 1}`;
      return 'delta' in event ? `${name} ${event.delta}` : name;
    });
  }

  /** The proposed calls of all responses, as name and argument text. */
  get proposed(): [string, unknown][] {
    return this.batches.flatMap(({ calls }) => calls.map(({ toolName, args }): [string, unknown] => [toolName, args]));
  }

  call(): Promise<unknown> {
    return Promise.reject(new Error('A model agent proposes its calls as a batch.'));
  }

  async callBatch(calls: readonly ProposedCall[], facts?: ResponseFacts): Promise<readonly ToolCallResult[]> {
    this.signal.throwIfAborted();
    this.batches.push({ calls, facts });
    const results = calls.map((call, position) => this.result(call, position));
    const answered = calls.map((call, position) => ({ ...call, toolCallId: results[position]?.toolCallId ?? '' }));
    this.messages.push({
      id: facts?.messageId ?? `m-${this.messages.length + 1}`,
      role: 'assistant',
      text: facts?.text ?? '',
      calls: answered.map(({ toolCallId, toolName, args }) => ({ toolCallId, toolName, argsText: String(args) })),
    });
    if (calls.length === 0) this.output = { value: facts?.text ?? '' };
    if (results.length > 0) this.messages.push({ id: `m-${this.messages.length + 1}`, role: 'tool', results });
    return results;
  }

  async admitRequest(): Promise<void> {
    this.signal.throwIfAborted();
    const { stopAfter } = this.options;
    if (stopAfter?.requests === this.usage.requests) throw stopAfter.error;
    if (this.usage.requests === this.limits.steps) throw new Error('The run has no steps left.');
    this.usage.requests += 1;
  }

  tools(): readonly ToolDefinition[] {
    return (this.options.tools ?? []).map((name) => ({
      name,
      description: `The tool ${name}.`,
      parameters: { type: 'object', properties: { id: { type: 'number' } } },
      kind: 'function',
      source: `Tools#${name}`,
      destructive: false,
      gate: { gated: false, why: 'guard off' },
      annotations: {},
      metadata: {},
      fingerprint: name,
    }));
  }

  emit(event: EmittedEvent): void {
    this.events.push(event);
    this.options.onEvent?.(event);
  }

  private result(call: ProposedCall, position: number): ToolCallResult {
    const { outcome, content } = this.options.answer?.(call) ?? { outcome: 'success', content: 'ok' };
    return {
      toolCallId: call.toolCallId ?? `ours-${position}`,
      toolName: call.toolName,
      operationId: `op-${position}`,
      status: outcome === 'success' ? 'completed' : 'failed',
      outcome,
      content,
    };
  }
}
