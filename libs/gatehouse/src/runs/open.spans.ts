import type { RunEvent } from '../contracts/run.events.js';

/** Which messages, calls and steps of a stream are open: a client must see each closed before the end. */
export class OpenSpans {
  private readonly texts = new Set<string>();
  private readonly reasonings = new Set<string>();
  private readonly calls = new Set<string>();
  private readonly steps = new Set<number>();

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
      default:
        break;
    }
  }

  closings(): readonly RunEvent[] {
    return [
      ...[...this.reasonings].map((messageId) => ({ type: 'reasoning.end' as const, messageId })),
      ...[...this.texts].map((messageId) => ({ type: 'text.end' as const, messageId })),
      ...[...this.calls].map((toolCallId) => ({ type: 'tool.end' as const, toolCallId })),
      ...[...this.steps].map((step) => ({ type: 'step.finished' as const, step })),
    ];
  }
}
