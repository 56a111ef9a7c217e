import type { UiChunk } from './ui.chunk.js';

type Kind = 'text' | 'reasoning';

/**
 * The texts that a client is being told. It fails on a piece of a text that was never started or has ended, and forgets open ones with each step: whatever
 * the order in which an executor speaks, what leaves here fits.
 */
export class UiSpans {
  private readonly open = new Map<string, { readonly kind: Kind; readonly id: string }>();

  start(kind: Kind, id: string): readonly UiChunk[] {
    if (this.open.has(key(kind, id))) return [];
    this.open.set(key(kind, id), { kind, id });
    return [{ type: `${kind}-start`, id }];
  }

  delta(kind: Kind, id: string, delta: string): readonly UiChunk[] {
    return [...this.start(kind, id), { type: `${kind}-delta`, id, delta }];
  }

  end(kind: Kind, id: string): readonly UiChunk[] {
    return this.open.delete(key(kind, id)) ? [{ type: `${kind}-end`, id }] : [];
  }

  /** Ends every open one. */
  close(): readonly UiChunk[] {
    return [...this.open.values()].flatMap(({ kind, id }) => this.end(kind, id));
  }
}

const key = (kind: Kind, id: string): string => `${kind}:${id}`;
