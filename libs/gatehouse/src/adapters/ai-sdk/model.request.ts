import { streamText, type LanguageModel } from 'ai';
import type { RunContext } from '../../contracts/run.js';
import { ModelResponseError } from './model-response.error.js';
import type { ModelResponse } from './model.response.js';
import type { ModelSettings } from './model.settings.js';
import { offeredTools } from './offered.tools.js';
import { ResponseSpans } from './response.spans.js';
import { ResponseWatch } from './response.watch.js';
import { modelMessages } from './thread.messages.js';
import { untilAborted } from './until.aborted.js';
import { usableResponse } from './usable.response.js';
import { watchedModel } from './watched.model.js';

/** What one request needs besides its run. */
export interface ModelRequest {
  readonly model: LanguageModel;
  readonly instructions?: string;
  readonly settings?: ModelSettings;
}

type Parts = ReturnType<typeof streamText>['fullStream'];
type Part = Parts extends AsyncIterable<infer Item> ? Item : never;
type FinishPart = Extract<Part, { type: 'finish' }>;

/**
 * Asks the model once. Text streams out as it comes; the calls come back unparsed, in emission order. Every span is closed, however it ends.
 */
export const requestModel = async (run: RunContext, request: ModelRequest): Promise<ModelResponse> => {
  run.signal.throwIfAborted();
  // A signal of this request's own: whatever listens to it is gone with it, and leaving early for any reason closes the connection.
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(run.signal.reason);
  run.signal.addEventListener('abort', leave, { once: true });
  const spans = new ResponseSpans((event) => run.emit(event));
  const watch = new ResponseWatch();
  try {
    const finish = await read(untilAborted(stream(run, request, watch, leaving.signal), leaving.signal), spans);
    if (finish === undefined || !watch.finished) throw new ModelResponseError('error', 'ended before it was complete.');
    return usableResponse(gathered(watch, spans, finish), finish.finishReason);
  } finally {
    run.signal.removeEventListener('abort', leave);
    leaving.abort();
    spans.close();
  }
};

const stream = (run: RunContext, request: ModelRequest, watch: ResponseWatch, abortSignal: AbortSignal): Parts =>
  streamText({
    ...request.settings,
    model: watchedModel(request.model, watch),
    system: request.instructions,
    messages: modelMessages(run.messages),
    tools: offeredTools(run.tools()),
    abortSignal,
    // The error arrives as a part of the stream; the SDK's default would print it.
    onError: () => undefined,
  }).fullStream;

const read = async (parts: AsyncIterable<Part>, spans: ResponseSpans): Promise<FinishPart | undefined> => {
  let finish: FinishPart | undefined;
  for await (const part of parts) {
    if (part.type === 'text-delta') spans.say(part.text);
    else if (part.type === 'reasoning-delta') spans.think(part.id, part.text);
    else if (part.type === 'reasoning-end') spans.endThought(part.id);
    else if (part.type === 'error') throw asError(part.error);
    else if (part.type === 'finish') finish = part;
  }
  return finish;
};

/** Providers report errors as they received them: sometimes an object of their API, sometimes text. */
const asError = (error: unknown): Error =>
  error instanceof Error
    ? error
    : new ModelResponseError('error', 'broke off; the cause is what the provider reported.', { cause: error });

const gathered = ({ calls }: ResponseWatch, spans: ResponseSpans, { totalUsage }: FinishPart): ModelResponse => ({
  calls,
  text: spans.text,
  facts: {
    text: spans.text,
    messageId: spans.messageId,
    inputTokens: totalUsage.inputTokens,
    outputTokens: totalUsage.outputTokens,
  },
});
