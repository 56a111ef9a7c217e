import type { LanguageModel } from 'ai';
import type { RunCandidate, RunContext, RunExecutor } from '../../contracts/run.js';
import { requestModel } from './model.request.js';
import type { ModelSettings } from './model.settings.js';

/**
 * An agent on any model of the AI SDK (`ai` 6 or 7). The loop is Gatehouse's own: the SDK is asked for one response at a time and runs no tool,
 * so every call passes the pipeline with the model's own words, malformed or invented ones too. Plain text ends the run, where
 * no `output` is asked for; an empty answer is one where the model stopped by itself. Throws `ModelResponseError` for a response that broke off, and whatever the provider threw once its
 * retries are spent: the run fails.
 *
 * @example
 * ```ts
 * @Agent({ name: 'support', tools: ['lookup', 'refund'] })
 * class SupportAgent extends ModelAgent {
 *   model = openai('gpt-5.2');
 *   override instructions = 'You work at a support desk.';
 *   override settings = { maxOutputTokens: 2000 };
 * }
 * ```
 */
export abstract class ModelAgent implements RunExecutor {
  /** A model of any provider package, or the name of one for the SDK's default provider. */
  abstract model: LanguageModel;
  /** The system prompt; a run's own instructions follow it. */
  instructions?: string;
  /** Sent with each request. */
  settings?: ModelSettings;

  /** Drives the run. After a suspension the thread already holds the results, so the loop just goes on. */
  async execute(run: RunContext): Promise<RunCandidate> {
    for (;;) {
      await run.admitRequest();
      const response = await requestModel(run, {
        model: this.model,
        instructions: joined(this.instructions, run.instructions),
        settings: this.settings,
      });
      await run.callBatch(response.calls, response.facts);
      if (run.output !== undefined) return run.output;
    }
  }
}

const joined = (...texts: readonly (string | undefined)[]): string | undefined =>
  texts.filter((text) => text !== undefined && text !== '').join('\n\n') || undefined;
