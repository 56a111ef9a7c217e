import type { Telling } from './chat.reader.js';

/** A stored event of AG-UI, as far as a chat is told of it. */
interface Stored {
  readonly type: string;
  readonly messageId: string;
  readonly toolCallId: string;
  readonly toolCallName: string;
  readonly delta: string;
  readonly content: string;
  readonly message: string;
  readonly metadata?: { readonly gatehouse?: { readonly status?: string; readonly outcome?: string } };
  readonly outcome?: {
    readonly type: string;
    readonly interrupts?: readonly { readonly id: string; readonly toolCallId: string }[];
  };
}

/** Our own account of what a chat must be told of stored events: one word for each chunk, behind the `seq` of its event. Steps apart, which only frame. */
class Words {
  readonly all: string[] = [];
  private readonly args = new Map<string, string>();
  private readonly asked = new Map<string, string>();

  add(seq: number, event: Stored, isLast: boolean): void {
    for (const word of this.of(event, isLast)) this.all.push(`${seq} ${word}`);
  }

  private of(event: Stored, isLast: boolean): readonly string[] {
    const { type, messageId, toolCallId, delta } = event;
    switch (type) {
      case 'RUN_STARTED':
        return this.all.length === 0 ? ['start'] : [];
      case 'TEXT_MESSAGE_START':
        return [`text-start ${messageId}`];
      case 'TEXT_MESSAGE_CONTENT':
        return [`text-delta ${messageId} ${delta}`];
      case 'TEXT_MESSAGE_END':
        return [`text-end ${messageId}`];
      case 'TOOL_CALL_START':
        return [`tool-input-start ${toolCallId}`];
      case 'TOOL_CALL_ARGS':
        this.args.set(toolCallId, (this.args.get(toolCallId) ?? '') + delta);
        return [];
      case 'TOOL_CALL_END':
        return [`tool-input-available ${toolCallId} ${this.args.get(toolCallId)}`];
      case 'TOOL_CALL_RESULT':
        return this.result(event);
      case 'RUN_FINISHED':
        return this.finished(event, isLast);
      case 'RUN_ERROR':
        return [`error ${event.message}`];
      default:
        return [];
    }
  }

  private result({ toolCallId, content, metadata }: Stored): readonly string[] {
    const { status, outcome } = metadata?.gatehouse ?? {};
    if (outcome === 'success') return [`tool-output-available ${toolCallId} ${content}`];
    if (status !== 'denied') return [`tool-output-error ${toolCallId} ${content}`];
    const approvalId = this.asked.get(toolCallId);
    // Who hears all from the beginning has not seen the request.
    const request = approvalId === undefined ? [] : [`tool-approval-request ${toolCallId} ${approvalId}`];
    return [...request, `tool-output-denied ${toolCallId}`];
  }

  private finished({ outcome }: Stored, isLast: boolean): readonly string[] {
    if (outcome?.type === 'cancelled') return ['abort', 'DONE'];
    if (outcome?.type !== 'interrupt') return ['finish', 'DONE'];
    const interrupts = outcome.interrupts ?? [];
    if (isLast)
      return [...interrupts.map(({ id, toolCallId }) => `tool-approval-request ${toolCallId} ${id}`), 'finish', 'DONE'];
    for (const { id, toolCallId } of interrupts) this.asked.set(toolCallId, id);
    return [];
  }
}

/** What a stream tells that goes from one event to another, the last one included. */
export function wordsOfStored(stored: ReadonlyMap<number, string>, first: number, last: number): readonly string[] {
  const words = new Words();
  for (const [seq, data] of stored)
    if (seq >= first && seq <= last) words.add(seq, JSON.parse(data) as Stored, seq === last);
  return words.all;
}

interface Chunk {
  readonly type: string;
  readonly id: string;
  readonly toolCallId: string;
  readonly approvalId: string;
  readonly delta: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly errorText: string;
}

/** The same words, of what really came. */
export function wordsOfTelling({ events }: Telling): readonly string[] {
  return events.flatMap(({ id, data }) => {
    const word = data === '[DONE]' ? 'DONE' : wordOf(JSON.parse(data) as Chunk);
    return word === undefined ? [] : [`${seqOf(id)} ${word}`];
  });
}

/** `7` ends frame 7; `6.2` is the second event of it. */
const seqOf = (id: string): number => Number(id.split('.')[0]) + (id.includes('.') ? 1 : 0);

function wordOf({ type, ...chunk }: Chunk): string | undefined {
  const { id, toolCallId, approvalId, delta, input, output, errorText } = chunk;
  switch (type) {
    case 'start-step':
    case 'finish-step':
    case 'message-metadata':
      return undefined;
    case 'text-start':
    case 'text-end':
      return `${type} ${id}`;
    case 'text-delta':
      return `${type} ${id} ${delta}`;
    case 'tool-input-start':
    case 'tool-output-denied':
      return `${type} ${toolCallId}`;
    case 'tool-input-available':
      return `${type} ${toolCallId} ${JSON.stringify(input)}`;
    case 'tool-output-available':
      return `${type} ${toolCallId} ${typeof output === 'string' ? output : JSON.stringify(output)}`;
    case 'tool-output-error':
      return `${type} ${toolCallId} ${errorText}`;
    case 'tool-approval-request':
      return `${type} ${toolCallId} ${approvalId}`;
    case 'error':
      return `${type} ${errorText}`;
    default:
      return type;
  }
}

/** Whether the ids of a stream go up, event by event. */
export function idsRise({ events }: Telling): boolean {
  return events.every(({ id }, at) => at === 0 || isAbove(id, events[at - 1]?.id ?? ''));
}

function isAbove(id: string, before: string): boolean {
  const [seq = 0, part = 0] = id.split('.').map(Number);
  const [seqBefore = 0, partBefore = 0] = before.split('.').map(Number);
  return seq > seqBefore || (seq === seqBefore && part > partBefore);
}
