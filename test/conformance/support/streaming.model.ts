/** One streamed response of a provider, part by part. `hangs`: it never ends by itself. */
export interface StreamedResponse {
  readonly parts: readonly object[];
  readonly hangs?: boolean;
}

/** A model that streams exactly these responses, and tells when its last stream was closed by the reader. */
export class StreamingModel {
  readonly specificationVersion = 'v3';
  readonly provider = 'streaming';
  readonly modelId = 'streaming';
  readonly supportedUrls = {};
  readonly prompts: unknown[] = [];
  /** Resolves with why, once a stream of this provider is closed from the other side. */
  readonly closed: Promise<void>;
  private close!: () => void;

  constructor(private readonly responses: readonly StreamedResponse[]) {
    this.closed = new Promise((resolve) => (this.close = resolve));
  }

  doGenerate(): Promise<never> {
    return Promise.reject(new Error('Only streams.'));
  }

  doStream(options: { readonly prompt: unknown; readonly abortSignal?: AbortSignal }) {
    const { parts, hangs = false } = this.responses[this.prompts.length] ?? { parts: [] };
    this.prompts.push(options.prompt);
    options.abortSignal?.addEventListener('abort', this.close, { once: true });
    const stream = new ReadableStream<object>({
      start: (controller) => {
        for (const part of [{ type: 'stream-start', warnings: [] }, ...parts]) controller.enqueue(part);
        if (!hangs) controller.close();
      },
      cancel: () => this.close(),
    });
    return Promise.resolve({ stream });
  }
}

const usage = { inputTokens: { total: 7 }, outputTokens: { total: 3 } };

export const streamedText = (delta: string): object[] => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta },
];

export const wholeCall = (toolCallId: string, toolName: string, args: object): object[] => {
  const input = JSON.stringify(args);
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool-calls' }, usage },
  ];
};

/** A call whose arguments break off. */
export const halfCall = (toolCallId: string, toolName: string): object[] => [
  { type: 'tool-input-start', id: toolCallId, toolName },
  { type: 'tool-input-delta', id: toolCallId, delta: '{"order":' },
];
