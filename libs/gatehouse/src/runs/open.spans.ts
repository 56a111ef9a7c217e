import type { RunEvent } from '../contracts/run.events.js';

/** Which messages, calls, steps and child runs of a stream are open: a client must see each closed before the end, and fails on a piece of none. */
export class OpenSpans {
  private readonly texts = new Set<string>();
  private readonly reasonings = new Set<string>();
  private readonly calls = new Set<string>();
  private readonly steps = new Set<number>();
  private readonly children = new Set<string>();

  note(event: RunEvent): void {
    switch (event.type) {
      case 'text.start':
        this.texts.add(event.messageId);
        break;
      case 'text.end':
        this.texts.delete(event.messageId);
        break;
      case 'reasoning.start':
        this.reasonings.add(event.messageId);
        break;
      case 'reasoning.end':
        this.reasonings.delete(event.messageId);
        break;
      case 'tool.start':
        this.calls.add(event.toolCallId);
        break;
      case 'tool.end':
        this.calls.delete(event.toolCallId);
        break;
      case 'step.started':
        this.steps.add(event.step);
        break;
      case 'step.finished':
        this.steps.delete(event.step);
        break;
      case 'child.started':
        this.children.add(event.runId);
        break;
      case 'child.finished':
        this.children.delete(event.runId);
        break;
      default:
        break;
    }
  }

  /** What an executor says as it fits into what is open: nothing, itself, or an opening and itself. */
  fitted(event: RunEvent): readonly RunEvent[] {
    switch (event.type) {
      case 'text.start':
        return this.texts.has(event.messageId) ? [] : [event];
      case 'reasoning.start':
        return this.reasonings.has(event.messageId) ? [] : [event];
      case 'text.end':
        return this.texts.has(event.messageId) ? [event] : [];
      case 'reasoning.end':
        return this.reasonings.has(event.messageId) ? [event] : [];
      case 'text.delta':
        return this.piece(event, this.texts, 'text.start');
      case 'reasoning.delta':
        return this.piece(event, this.reasonings, 'reasoning.start');
      case 'child.finished':
        return this.children.has(event.runId) ? [event] : [];
      default:
        return [event];
    }
  }

  private piece(
    event: Extract<RunEvent, { type: 'text.delta' | 'reasoning.delta' }>,
    open: ReadonlySet<string>,
    opening: 'text.start' | 'reasoning.start',
  ): readonly RunEvent[] {
    if (event.delta === '') return [];
    return open.has(event.messageId) ? [event] : [{ type: opening, messageId: event.messageId }, event];
  }

  closings(): readonly RunEvent[] {
    return [
      ...[...this.children].map((runId) => ({ type: 'child.finished' as const, runId, status: 'running' as const })),
      ...[...this.reasonings].map((messageId) => ({ type: 'reasoning.end' as const, messageId })),
      ...[...this.texts].map((messageId) => ({ type: 'text.end' as const, messageId })),
      ...[...this.calls].map((toolCallId) => ({ type: 'tool.end' as const, toolCallId })),
      ...[...this.steps].map((step) => ({ type: 'step.finished' as const, step })),
    ];
  }
}
