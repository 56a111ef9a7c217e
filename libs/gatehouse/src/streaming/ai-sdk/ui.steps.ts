import type { UiChunk } from './ui.chunk.js';
import { UiSpans } from './ui.spans.js';

/**
 * Where a client is between two steps. Its step begins with the first word of a model's answer; ours, which is stored, with the answer's calls. A response
 * that waited goes on in the step in which it was announced: clients look for open approvals in the last step only.
 */
export class UiSteps {
  readonly spans = new UiSpans();
  private place: 'between' | 'inside' | 'announced' = 'between';

  /** The next step that starts was announced by an earlier segment. */
  resume(): void {
    this.place = 'announced';
  }

  /** Something of a step follows. */
  enter(): readonly UiChunk[] {
    if (this.place !== 'between') return [];
    this.place = 'inside';
    return [{ type: 'start-step' }];
  }

  leave(): readonly UiChunk[] {
    const inside = this.place === 'inside';
    this.place = 'between';
    return [...this.spans.close(), ...(inside ? [{ type: 'finish-step' as const }] : [])];
  }
}
