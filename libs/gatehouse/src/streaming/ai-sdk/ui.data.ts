import { applyPatch } from 'rfc6902';

import type { JsonValue } from '../../contracts/json.js';
import type { RunEvent } from '../../contracts/run.events.js';
import type { UiChunk } from './ui.chunk.js';

type Told<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

/** What a client is told beside the conversation, as data parts: the latest word on a thing takes the place of the earlier one, by its id. */
export class UiData {
  private document: { state: JsonValue } | undefined;
  private readonly children = new Map<string, Told<'child.started'>>();

  snapshot({ state }: Told<'state.snapshot'>): readonly UiChunk[] {
    // A copy, as deltas change it: other streams read the same event.
    this.document = { state: structuredClone(state) };
    return this.state();
  }

  /** Of what was never told as a whole, a client is told nothing. */
  delta({ patch }: Told<'state.delta'>): readonly UiChunk[] {
    if (this.document === undefined) return [];
    applyPatch(this.document.state, structuredClone([...patch]));
    return this.state();
  }

  childStarted(child: Told<'child.started'>): readonly UiChunk[] {
    this.children.set(child.runId, child);
    return [dataOf(child, 'running')];
  }

  childFinished({ runId, status }: Told<'child.finished'>): readonly UiChunk[] {
    const child = this.children.get(runId);
    return child === undefined ? [] : [dataOf(child, status)];
  }

  private state(): readonly UiChunk[] {
    return this.document === undefined ? [] : [{ type: 'data-state', id: 'state', data: this.document.state }];
  }
}

const dataOf = ({ runId, agent, toolCallId }: Told<'child.started'>, status: string): UiChunk => ({
  type: 'data-child',
  id: runId,
  data: { runId, agent, status, ...(toolCallId === undefined ? {} : { toolCallId }) },
});
