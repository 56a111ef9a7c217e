import type { LanguageModel } from 'ai';
import type { ProposedCall } from '../../contracts/operation.js';
import type { RunContext } from '../../contracts/run.js';
import type { ToolDefinition } from '../../contracts/tool.definition.js';
import { ModelResponseError } from './model-response.error.js';
import type { ModelResponse } from './model.response.js';
import type { ModelSettings } from './model.settings.js';
import {
  providerModel,
  type ProviderCall,
  type ProviderModel,
  type ProviderPart,
  type ProviderTool,
} from './provider.model.js';
import { ResponseSpans } from './response.spans.js';
import { retried } from './retried.request.js';
import { providerPrompt } from './thread.messages.js';
import { untilAborted } from './until.aborted.js';
import { usableResponse } from './usable.response.js';

/** What one request needs besides its run. */
export interface ModelRequest {
  readonly model: LanguageModel;
  readonly instructions?: string;
  readonly settings?: ModelSettings;
}

type Finish = Extract<ProviderPart, { type: 'finish' }>;

/**
 * Asks the model once, at its provider interface: the SDK's own loop would parse the arguments and judge them before the pipeline does, at several
 * times the price. Text streams out as it comes; the calls come back as the model wrote them, in emission order. Every span is closed, however it ends.
 */
export const requestModel = async (run: RunContext, request: ModelRequest): Promise<ModelResponse> => {
  run.signal.throwIfAborted();
  // A signal of this request's own: whatever listens to it is gone with it, and leaving early for any reason closes the connection.
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(run.signal.reason);
  run.signal.addEventListener('abort', leave, { once: true });
  const spans = new ResponseSpans((event) => run.emit(event));
  try {
    return await respond(run, request, spans, leaving.signal);
  } finally {
    run.signal.removeEventListener('abort', leave);
    leaving.abort();
    spans.close();
  }
};

const respond = async (
  run: RunContext,
  request: ModelRequest,
  spans: ResponseSpans,
  signal: AbortSignal,
): Promise<ModelResponse> => {
  const model = providerModel(request.model);
  const call = callOf(run, request, model, signal);
  const asking = retried(() => model.doStream(call), request.settings?.maxRetries, signal);
  const { stream } = await orAborted(asking, signal);
  const calls: ProposedCall[] = [];
  const finish = await read(untilAborted(stream, signal), spans, calls);
  // A stream may end without an error and without a word that it is complete.
  if (finish === undefined) throw new ModelResponseError('error', 'ended before it was complete.');
  const { finishReason } = finish;
  return usableResponse(
    gathered(calls, spans, finish),
    typeof finishReason === 'string' ? finishReason : finishReason.unified,
  );
};

const callOf = (
  run: RunContext,
  { settings = {}, instructions }: ModelRequest,
  model: ProviderModel,
  abortSignal: AbortSignal,
): ProviderCall => {
  const { maxRetries: _ours, ...rest } = settings;
  const tools = run.tools().map(offered);
  return {
    ...rest,
    prompt: providerPrompt(run.messages, instructions, model.specificationVersion),
    ...(tools.length > 0 && { tools, toolChoice: { type: 'auto' } }),
    ...(run.responseSchema !== undefined && { responseFormat: { type: 'json', schema: run.responseSchema } }),
    abortSignal,
  };
};

/** None can be executed by the provider's client, and none is validated by it: both are the pipeline's work. */
const offered = ({ name, description, parameters }: ToolDefinition): ProviderTool => ({
  type: 'function',
  name,
  description,
  inputSchema: parameters,
});

const read = async (
  parts: AsyncIterable<ProviderPart>,
  spans: ResponseSpans,
  calls: ProposedCall[],
): Promise<Finish | undefined> => {
  let finish: Finish | undefined;
  for await (const part of parts) {
    if (part.type === 'text-delta') spans.say(part.delta);
    else if (part.type === 'reasoning-delta') spans.think(part.id, part.delta);
    else if (part.type === 'reasoning-end') spans.endThought(part.id);
    else if (part.type === 'error') throw asError(part.error);
    else if (part.type === 'finish') finish = part;
    // Calls that a provider runs itself are not ours.
    else if (part.type === 'tool-call' && part.providerExecuted !== true)
      calls.push({ toolCallId: part.toolCallId, toolName: part.toolName, args: part.input });
  }
  return finish;
};

/** A provider that never answers cannot hold a run that was cancelled. */
const orAborted = async <T>(asking: Promise<T>, signal: AbortSignal): Promise<T> => {
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([asking, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
};

/** Providers report errors as they received them: sometimes an object of their API, sometimes text. */
const asError = (error: unknown): Error =>
  error instanceof Error
    ? error
    : new ModelResponseError('error', 'broke off; the cause is what the provider reported.', { cause: error });

const gathered = (calls: readonly ProposedCall[], spans: ResponseSpans, { usage }: Finish): ModelResponse => ({
  calls,
  text: spans.text,
  facts: {
    text: spans.text,
    messageId: spans.messageId,
    inputTokens: total(usage.inputTokens),
    outputTokens: total(usage.outputTokens),
  },
});

const total = (count: Finish['usage']['inputTokens']): number | undefined =>
  typeof count === 'object' ? count.total : count;
