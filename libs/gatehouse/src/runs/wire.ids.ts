import type { ThreadMessage } from '../contracts/thread.message.js';
import { newId } from '../values/ids.js';

const LONGEST = 128;

/** A model's call id is data: one that is empty, oversized, repeated or no text gets one of ours, so that every call on the wire has its own. */
export class WireIds {
  private readonly used: Set<string>;

  constructor(messages: readonly ThreadMessage[]) {
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
    this.used = new Set(calls.map((call) => call.toolCallId));
  }

  take(proposed: unknown): string {
    const id = this.isUsable(proposed) ? proposed : newId();
    this.used.add(id);
    return id;
  }

  private isUsable(id: unknown): id is string {
    return typeof id === 'string' && id !== '' && id.length <= LONGEST && !this.used.has(id);
  }
}
