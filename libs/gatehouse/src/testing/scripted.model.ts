import type { Awaitable } from '../contracts/awaitable.js';
import { responseAt, textOf, type ScriptedParts } from './scripted.response.js';
import { scriptedPrompt, type ScriptedCallOptions, type ScriptedPrompt } from './scripted.prompt.js';
import { ending, providerCalls, streamed, type ScriptedUsage } from './scripted.stream.js';

const KEPT = 100;

/** Makes a response from what the model is asked with. A throw is a failed request. */
export type ScriptedAnswer = (prompt: ScriptedPrompt) => Awaitable<ScriptedParts>;

/** A script: one line for each response, or one function for all of them. */
export type ModelScript = readonly (ScriptedParts | ScriptedAnswer)[] | ScriptedAnswer;

/** How a scripted model behaves besides what it says. */
export interface ScriptedModelOptions {
  /** Milliseconds before each word. Default 0. */
  readonly pace?: number;
  /** Tokens of each response. Default 10 in, 5 out. */
  readonly usage?: ScriptedUsage;
  /** Default `'scripted'`. */
  readonly modelId?: string;
}

/**
 * A model without a model: plays a script through the AI SDK's provider interface (version 3, which `ai` 6 and 7 take). For tests and demos;
 * use it as `model` of a `ModelAgent`, or in the SDK's own functions. Needs no package of theirs.
 *
 * @example
 * ```ts
 * model = new ScriptedModel([['Let me look.', call('lookup', { id: 7 })], [says('It shipped today.')]]);
 * model = new ScriptedModel(({ lastUserText }) => (lastUserText.includes('refund') ? [call('refund', { order: 7 })] : [says('Hello.')]));
 * ```
 */
export class ScriptedModel {
  readonly specificationVersion = 'v3' as const;
  readonly provider = 'gatehouse.scripted';
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]> = {};
  /** What it was asked with, in order; the last 100, for a demo may run for days. */
  readonly requests: ScriptedPrompt[] = [];
  private asked = 0;
  private readonly pace: number;
  private readonly usage: ScriptedUsage;

  constructor(
    private readonly script: ModelScript,
    { pace = 0, usage = { inputTokens: 10, outputTokens: 5 }, modelId = 'scripted' }: ScriptedModelOptions = {},
  ) {
    this.pace = pace;
    this.usage = usage;
    this.modelId = modelId;
  }

  /** One whole response. */
  async doGenerate(options: ScriptedCallOptions) {
    const parts = await this.answer(options);
    const text = textOf(parts);
    const content = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...providerCalls(parts)];
    return { content, ...ending(parts, this.usage), warnings: [] };
  }

  /** One response, word by word. */
  async doStream(options: ScriptedCallOptions) {
    const parts = await this.answer(options);
    return { stream: readable(streamed(parts, this.usage, this.pace, options.abortSignal)) };
  }

  private async answer(options: ScriptedCallOptions): Promise<ScriptedParts> {
    options.abortSignal?.throwIfAborted();
    const prompt = scriptedPrompt(options);
    this.asked += 1;
    this.requests.push(prompt);
    if (this.requests.length > KEPT) this.requests.shift();
    const line = typeof this.script === 'function' ? this.script : responseAt(this.script, this.asked - 1);
    return typeof line === 'function' ? line(prompt) : line;
  }
}

const readable = <T>(parts: AsyncGenerator<T>): ReadableStream<T> =>
  new ReadableStream<T>({
    async pull(controller) {
      const next = await parts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
