import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../values/ids.js';
import { callsOf, textOf, type ScriptedParts } from './scripted.response.js';

/** A call as a provider reports it: the arguments are text. */
export interface ScriptedToolCall {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}

/** Tokens, constant for each response. */
export interface ScriptedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The calls of a response as a provider reports them. Text is left as it is, malformed or not. */
export const providerCalls = (parts: ScriptedParts): readonly ScriptedToolCall[] =>
  callsOf(parts).map(({ toolCallId = `call_${newId()}`, toolName, args }) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName,
    input: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  }));

/** What ends a response: why, and what it cost. */
export const ending = (parts: ScriptedParts, { inputTokens, outputTokens }: ScriptedUsage) => {
  const reason = callsOf(parts).length > 0 ? ('tool-calls' as const) : ('stop' as const);
  return {
    finishReason: { unified: reason, raw: reason as string | undefined },
    usage: {
      inputTokens: { total: inputTokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    },
  };
};

/** Rejects with the signal's own reason, as fetch does. */
const waited = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
  await pause(milliseconds, undefined, { signal }).catch(() => signal?.throwIfAborted());
};

/** A response as a provider streams it: text word by word, then the calls, each with its argument text. */
export async function* streamed(parts: ScriptedParts, usage: ScriptedUsage, pace: number, signal?: AbortSignal) {
  yield { type: 'stream-start' as const, warnings: [] };
  const words =
    textOf(parts)
      .match(/\S*\s*/gu)
      ?.filter((word) => word !== '') ?? [];
  if (words.length > 0) yield { type: 'text-start' as const, id: 'text' };
  for (const delta of words) {
    if (pace > 0) await waited(pace, signal);
    yield { type: 'text-delta' as const, id: 'text', delta };
  }
  if (words.length > 0) yield { type: 'text-end' as const, id: 'text' };
  for (const call of providerCalls(parts)) {
    yield { type: 'tool-input-start' as const, id: call.toolCallId, toolName: call.toolName };
    yield { type: 'tool-input-delta' as const, id: call.toolCallId, delta: call.input };
    yield { type: 'tool-input-end' as const, id: call.toolCallId };
    yield call;
  }
  yield { type: 'finish' as const, ...ending(parts, usage) };
}
