import type { MessageCall, MessageResult, ThreadMessage } from '../../contracts/thread.message.js';
import type { MessageFile } from '../../contracts/message.file.js';
import type { ProviderMessage } from './provider.model.js';

type Answered = { readonly message: ThreadMessage; readonly results: readonly MessageResult[] };
type UserMessage = Extract<ThreadMessage, { role: 'user' }>;
type AssistantMessage = Extract<ThreadMessage, { role: 'assistant' }>;

/**
 * The stored thread as a provider reads it, behind the instructions. Every call gets exactly one result, right behind it, or a provider refuses the
 * whole history. `version` of the provider interface: the second one has no word for a denial.
 */
export const providerPrompt = (
  thread: readonly ThreadMessage[],
  instructions?: string,
  version = 'v3',
): readonly ProviderMessage[] => {
  const messages = answered(thread).flatMap((one) => converted(one, version));
  return instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages];
};

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

const converted = ({ message, results }: Answered, version: string): ProviderMessage[] => {
  if (message.role === 'user') return [{ role: 'user', content: userParts(message, version) }];
  if (message.role === 'tool') return [];
  const content = [
    ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
    ...message.calls.map(callPart),
  ];
  if (content.length === 0) return [];
  const assistant: ProviderMessage = { role: 'assistant', content };
  if (results.length === 0) return [assistant];
  return [assistant, { role: 'tool', content: results.map((result) => resultPart(result, version)) }];
};

/** Files first, as the AI SDK's own clients send them; text only where there is some, since providers refuse an empty one beside them. */
const userParts = ({ text, files = [] }: UserMessage, version: string): object[] => [
  ...files.map((file) => filePart(file, version)),
  ...(files.length > 0 && text.trim() === '' ? [] : [{ type: 'text', text }]),
];

/** Since the fourth version of the interface, data says what it is. */
const filePart = ({ mediaType, name, data }: MessageFile, version: string) => ({
  type: 'file' as const,
  mediaType,
  ...(name === undefined ? {} : { filename: name }),
  data: version === 'v2' || version === 'v3' ? data : { type: 'data' as const, data },
});

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

const resultPart = ({ toolCallId, toolName, outcome, content }: MessageResult, version: string) => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName,
  output: outputOf(outcome, content, version),
});

/** The kinds of output that providers written for any version know. */
const outputOf = (outcome: MessageResult['outcome'], content: string, version: string) => {
  if (outcome === 'success') return { type: 'text' as const, value: content };
  if (outcome === 'denied' && version !== 'v2') return { type: 'execution-denied' as const, reason: content };
  return { type: 'error-text' as const, value: content };
};
