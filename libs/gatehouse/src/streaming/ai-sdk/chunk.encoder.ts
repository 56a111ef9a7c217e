import type { JsonObject } from '../../contracts/json.js';
import { endsSegment, type RunEvent, type RunFrame } from '../../contracts/run.events.js';
import type { SegmentUsage } from '../../contracts/usage.js';
import type { StreamEncoder } from '../stream.protocol.js';
import { textOfChunk } from './chunk.text.js';
import { UiCalls } from './ui.calls.js';
import type { UiChunk } from './ui.chunk.js';
import { UiData } from './ui.data.js';
import { UiSteps } from './ui.steps.js';

const DONE = '[DONE]';

/**
 * One run as one assistant message: its id is the run's, so that every segment continues the same message. A stream tells the segment that starts with
 * `firstSeq`, or, for a client that comes back, what came before it too.
 */
export class ChunkEncoder implements StreamEncoder {
  private readonly steps = new UiSteps();
  private readonly calls = new UiCalls();
  private readonly data = new UiData();
  private begun = false;

  constructor(private readonly firstSeq: number) {}

  encode({ seq, event }: RunFrame): readonly string[] {
    const last = endsSegment(event) && seq >= this.firstSeq;
    const chunks = this.chunks(event, seq).map(textOfChunk);
    return last ? [...chunks, DONE] : chunks;
  }

  private chunks(event: RunEvent, seq: number): readonly UiChunk[] {
    switch (event.type) {
      case 'run.started':
        return this.started(event.runId, seq);
      case 'step.started':
        return this.steps.enter();
      case 'step.finished':
        return this.steps.leave();
      case 'text.start':
        return [...this.steps.enter(), ...this.steps.spans.start('text', event.messageId)];
      case 'text.delta':
        return [...this.steps.enter(), ...this.steps.spans.delta('text', event.messageId, event.delta)];
      case 'text.end':
        return this.steps.spans.end('text', event.messageId);
      case 'reasoning.start':
        return [...this.steps.enter(), ...this.steps.spans.start('reasoning', event.messageId)];
      case 'reasoning.delta':
        return [...this.steps.enter(), ...this.steps.spans.delta('reasoning', event.messageId, event.delta)];
      case 'reasoning.end':
        return this.steps.spans.end('reasoning', event.messageId);
      case 'tool.start':
        return this.calls.start(event.toolCallId, event.toolName);
      case 'tool.args':
        this.calls.args(event.toolCallId, event.delta);
        return [];
      case 'tool.end':
        return this.calls.end(event.toolCallId);
      case 'tool.result':
        return this.calls.result(event);
      case 'state.snapshot':
        return this.data.snapshot(event);
      case 'state.delta':
        return this.data.delta(event);
      case 'child.started':
        return this.data.childStarted(event);
      case 'child.finished':
        return this.data.childFinished(event);
      case 'custom':
        return [{ type: `data-${event.name}`, data: event.value }];
      case 'run.suspended':
        return this.suspended(event, seq);
      case 'run.finished':
        return [...this.steps.leave(), { type: 'finish', ...metadata(event.usage) }];
      case 'run.cancelled':
        // Why, no client shows, and the first releases of major 6 fail on it.
        return [...this.steps.leave(), ...metadataChunk(event.usage), { type: 'abort' }];
      case 'run.failed':
        return [...this.steps.leave(), ...metadataChunk(event.usage), { type: 'error', errorText: event.message }];
    }
  }

  private started(runId: string, seq: number): readonly UiChunk[] {
    if (seq > 1) this.steps.resume();
    if (this.begun) return [];
    this.begun = true;
    return [{ type: 'start', messageId: runId }];
  }

  private suspended(
    { approvals, usage }: Extract<RunEvent, { type: 'run.suspended' }>,
    seq: number,
  ): readonly UiChunk[] {
    const closing = this.steps.leave();
    if (seq >= this.firstSeq) {
      const waiting = approvals.map((approval) => this.calls.waits(approval));
      return [...closing, ...waiting, { type: 'finish', ...metadata(usage) }];
    }
    for (const approval of approvals) this.calls.settled(approval);
    return closing;
  }
}

/** Of a message that grows over several segments, clients keep the last: the whole run. */
const metadata = (usage: SegmentUsage | undefined): { readonly messageMetadata?: JsonObject } =>
  usage === undefined ? {} : { messageMetadata: { usage: { ...usage.run } } };

/** The same, before an end that has no place for it. */
const metadataChunk = (usage: SegmentUsage | undefined): readonly UiChunk[] => {
  const { messageMetadata } = metadata(usage);
  return messageMetadata === undefined ? [] : [{ type: 'message-metadata', messageMetadata }];
};

/** The texts that end a stream with an error. */
export const encodeUiError = (errorText: string): readonly string[] => [
  JSON.stringify({ type: 'error', errorText } satisfies UiChunk),
  DONE,
];
