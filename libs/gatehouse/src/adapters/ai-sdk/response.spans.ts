import type { RunContext } from '../../contracts/run.js';
import { newId } from '../../values/ids.js';

/**
 * The text and the thoughts of one response, on the run's stream. All text of a response is one message, so that stream and history name the
 * same id; each block of thoughts is a span of its own.
 */
export class ResponseSpans {
  private readonly reasoning = new Map<string, string>();
  private readonly chunks: string[] = [];
  private open: string | undefined;

  constructor(private readonly emit: RunContext['emit']) {}

  /** The text so far. */
  get text(): string {
    return this.chunks.join('');
  }

  /** The text message's id; nothing until there is text. */
  get messageId(): string | undefined {
    return this.open;
  }

  say(delta: string): void {
    if (delta === '') return;
    if (this.open === undefined) {
      this.open = newId();
      this.emit({ type: 'text.start', messageId: this.open });
    }
    this.chunks.push(delta);
    this.emit({ type: 'text.delta', messageId: this.open, delta });
  }

  think(block: string, delta: string): void {
    if (delta === '') return;
    const messageId = this.reasoning.get(block) ?? newId();
    if (!this.reasoning.has(block)) {
      this.reasoning.set(block, messageId);
      this.emit({ type: 'reasoning.start', messageId });
    }
    this.emit({ type: 'reasoning.delta', messageId, delta });
  }

  endThought(block: string): void {
    const messageId = this.reasoning.get(block);
    if (messageId === undefined) return;
    this.reasoning.delete(block);
    this.emit({ type: 'reasoning.end', messageId });
  }

  /** Closes whatever is open. Once, last of all. */
  close(): void {
    for (const block of [...this.reasoning.keys()]) this.endThought(block);
    if (this.open !== undefined) this.emit({ type: 'text.end', messageId: this.open });
  }
}
