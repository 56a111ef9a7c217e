/** A message as a scripted model reads it. */
export interface ScriptedMessage {
  readonly role: string;
  readonly text: string;
  /** Calls the model made in this message. */
  readonly calls: readonly { readonly toolCallId: string; readonly toolName: string; readonly args: unknown }[];
  /** Answers to calls in this message. */
  readonly results: readonly { readonly toolCallId: string; readonly toolName: string; readonly content: string }[];
}

/** What a scripted model is asked with. */
export interface ScriptedPrompt {
  /** The instructions; empty without any. */
  readonly system: string;
  /** The conversation, oldest first. */
  readonly messages: readonly ScriptedMessage[];
  /** The last thing a user said; empty without any. */
  readonly lastUserText: string;
  /** Results that came after the last thing a user said, oldest first. */
  readonly lastResults: ScriptedMessage['results'];
  /** The names of the offered tools. */
  readonly tools: readonly string[];
  readonly signal?: AbortSignal;
}

/** The part of a provider's call options that is read; every version of the AI SDK's provider interface has it. */
export interface ScriptedCallOptions {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly abortSignal?: AbortSignal;
}

interface PromptPart {
  readonly type?: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: { readonly value?: unknown; readonly reason?: string };
}

/** Reads a provider's prompt as a conversation. */
export const scriptedPrompt = ({ prompt, tools, abortSignal }: ScriptedCallOptions): ScriptedPrompt => {
  const all = prompt.map(({ role, content }) => message(role, content));
  const messages = all.filter(({ role }) => role !== 'system');
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  return Object.freeze({
    system: textsOf(all.filter(({ role }) => role === 'system')),
    messages,
    lastUserText: messages[lastUser]?.text ?? '',
    lastResults: messages.slice(lastUser + 1).flatMap(({ results }) => results),
    tools: (tools ?? []).map(({ name }) => name),
    ...(abortSignal === undefined ? {} : { signal: abortSignal }),
  });
};

const textsOf = (messages: readonly ScriptedMessage[]): string => messages.map(({ text }) => text).join('\n\n');

const message = (role: string, content: unknown): ScriptedMessage => {
  if (typeof content === 'string') return { role, text: content, calls: [], results: [] };
  const parts = content as readonly PromptPart[];
  return {
    role,
    text: parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join(''),
    calls: parts.filter(({ type }) => type === 'tool-call').map((part) => ({ ...named(part), args: part.input })),
    results: parts
      .filter(({ type }) => type === 'tool-result')
      .map((part) => ({ ...named(part), content: outputOf(part) })),
  };
};

const named = ({ toolCallId = '', toolName = '' }: PromptPart) => ({ toolCallId, toolName });

const outputOf = ({ output }: PromptPart): string => {
  const value = output?.value ?? output?.reason ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
