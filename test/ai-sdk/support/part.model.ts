/** A model that streams exactly these parts; `never` keeps the stream open after them. */
export class PartModel {
  readonly provider = 'parts';
  readonly modelId = 'parts';
  readonly supportedUrls = {};
  readonly #parts: readonly object[];
  #asked = 0;

  constructor(
    parts: readonly object[],
    readonly specificationVersion: 'v2' | 'v3' | 'v4' = 'v3',
    private readonly never = false,
  ) {
    this.#parts = parts;
  }

  get asked(): number {
    return this.#asked;
  }

  doGenerate(): Promise<never> {
    return Promise.reject(new Error('Only streams.'));
  }

  doStream(): Promise<{ stream: ReadableStream<object> }> {
    this.#asked += 1;
    const parts = [{ type: 'stream-start', warnings: [] }, ...this.#parts];
    const { never } = this;
    return Promise.resolve({
      stream: new ReadableStream<object>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          if (!never) controller.close();
        },
      }),
    });
  }
}

/** Text as a provider streams it. */
export const text = (...deltas: readonly string[]): object[] => [
  { type: 'text-start', id: 't' },
  ...deltas.map((delta) => ({ type: 'text-delta', id: 't', delta })),
  { type: 'text-end', id: 't' },
];

/** A call as a provider streams it. */
export const toolCall = (toolCallId: string, toolName: string, input: string, more: object = {}): object => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
  ...more,
});

/** The end of a response, as versions 3 and 4 report it. */
export const finish = (unified: string, raw: string | undefined = unified): object => ({
  type: 'finish',
  finishReason: { unified, raw },
  usage: { inputTokens: { total: 7 }, outputTokens: { total: 3 } },
});
