import { ModelResponseError } from './model-response.error.js';
import type { ModelResponse } from './model.response.js';

/** The reasons after which a response is whole; the AI SDK's own loop runs tools after these two only. */
const WHOLE: readonly string[] = ['stop', 'tool-calls'];

const CUT: Readonly<Record<string, string>> = {
  length: 'used up its output tokens',
  'content-filter': "was stopped by the provider's content filter",
};

/**
 * Refuses a response that must not be acted upon. Text is an answer even where it was cut; calls are not: a call cut before its first argument
 * looks like one without arguments. Nothing at all is an answer where the model stopped by itself, as some do after their last tool call.
 */
export const usableResponse = (response: ModelResponse, finishReason: string): ModelResponse => {
  if (finishReason === 'error')
    throw new ModelResponseError(finishReason, 'ended with an error; the provider gave no details.');
  if (WHOLE.includes(finishReason)) return response;
  const cut = CUT[finishReason] ?? `ended with finish reason '${finishReason}'`;
  const remedy = finishReason === 'length' ? ' Raise settings.maxOutputTokens.' : '';
  if (response.calls.length > 0)
    throw new ModelResponseError(finishReason, `${cut} while it proposed calls; none of them ran.${remedy}`);
  if (response.text === '') throw new ModelResponseError(finishReason, `${cut} before it said anything.${remedy}`);
  return response;
};
