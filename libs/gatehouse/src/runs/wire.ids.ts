import type { ThreadMessage } from '../contracts/thread.message.js';
import { newId } from '../values/ids.js';

const LONGEST = 128;

/** A model's call id is data: an empty, oversized or repeated one gets one of ours, so that every call on the wire has its own. */
export class WireIds {
  private readonly used: Set<string>;

  constructor(messages: readonly ThreadMessage[]) {
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
    this.used = new Set(calls.map((call) => call.toolCallId));
  }

  take(proposed: string | undefined): string {
    const usable = proposed !== undefined && proposed !== '' && proposed.length <= LONGEST && !this.used.has(proposed);
    const id = usable ? proposed : newId();
    this.used.add(id);
    return id;
  }
}
