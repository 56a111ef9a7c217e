import type { ModelMessage } from 'ai';
import type { MessageCall, MessageResult, ThreadMessage } from '../../contracts/thread.message.js';

type Answered = { readonly message: ThreadMessage; readonly results: readonly MessageResult[] };
type AssistantMessage = Extract<ThreadMessage, { role: 'assistant' }>;
type ResultPart = Extract<Extract<ModelMessage, { role: 'tool' }>['content'][number], { type: 'tool-result' }>;

/** The stored thread as the AI SDK reads it. Every call gets exactly one result, right behind it, or a provider refuses the whole history. */
export const modelMessages = (thread: readonly ThreadMessage[]): ModelMessage[] => answered(thread).flatMap(converted);

/** Read from the end, the result that remains for an id is the first one behind its call, even where an id was used twice. */
const answered = (thread: readonly ThreadMessage[]): Answered[] => {
  const waiting = new Map<string, MessageResult>();
  return thread
    .toReversed()
    .map((message) => {
      if (message.role === 'tool')
        for (const result of message.results.toReversed()) waiting.set(result.toolCallId, result);
      return { message, results: message.role === 'assistant' ? message.calls.map((call) => take(waiting, call)) : [] };
    })
    .reverse();
};

const take = (waiting: Map<string, MessageResult>, call: MessageCall): MessageResult => {
  const result = waiting.get(call.toolCallId) ?? withoutOutcome(call);
  waiting.delete(call.toolCallId);
  return result;
};

const withoutOutcome = ({ toolCallId, toolName }: MessageCall): MessageResult => ({
  toolCallId,
  toolName,
  outcome: 'failed',
  content:
    `The outcome of this call of '${toolName}' is unknown: it may or may not have taken effect. ` +
    `Do not repeat it before you have found out.`,
});

const converted = ({ message, results }: Answered): ModelMessage[] => {
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  if (message.role === 'tool') return [];
  const content = [
    ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
    ...message.calls.map(callPart),
  ];
  if (content.length === 0) return [];
  const assistant: ModelMessage = { role: 'assistant', content };
  return results.length === 0 ? [assistant] : [assistant, { role: 'tool', content: results.map(resultPart) }];
};

const callPart = (call: AssistantMessage['calls'][number]) => ({
  type: 'tool-call' as const,
  toolCallId: call.toolCallId,
  toolName: call.toolName,
  input: inputOf(call.argsText),
});

/** Providers insist on an object. What the model got wrong stands in the result. */
const inputOf = (argsText: string): object => {
  try {
    const value: unknown = JSON.parse(argsText);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
};

const resultPart = ({ toolCallId, toolName, outcome, content }: MessageResult): ResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: OUTPUT[outcome](content),
});

/** The three kinds of output that AI SDK 6 and 7, and providers written for either, all know. */
const OUTPUT: Readonly<Record<MessageResult['outcome'], (content: string) => ResultPart['output']>> = {
  success: (value) => ({ type: 'text', value }),
  denied: (reason) => ({ type: 'execution-denied', reason }),
  failed: (value) => ({ type: 'error-text', value }),
  retry: (value) => ({ type: 'error-text', value }),
  skipped: (value) => ({ type: 'error-text', value }),
};
