import type { JsonValue } from './json.js';
import type { OperationStatus, ToolOutcome } from './statuses.js';

/** An approval as a stream announces it. `expiresAt` is ISO 8601. */
export interface AnnouncedApproval {
  readonly id: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly message: string;
  readonly argumentsDigest: string;
  readonly expiresAt: string;
  readonly risk?: string;
  /** JSON Schema of the answer: `approved`, `reason`, and `editedArgs` where editable. */
  readonly responseSchema: JsonValue;
}

/**
 * What a run says while it runs: protocol-neutral, already redacted, stored before it is sent. An encoder turns each into at most one AG-UI
 * frame. Every span is closed before a terminal event.
 */
export type RunEvent =
  | { readonly type: 'run.started'; readonly runId: string; readonly threadId: string; readonly segment: string }
  | { readonly type: 'step.started'; readonly step: number }
  | { readonly type: 'step.finished'; readonly step: number }
  | { readonly type: 'text.start'; readonly messageId: string }
  | { readonly type: 'text.delta'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'text.end'; readonly messageId: string }
  | { readonly type: 'reasoning.start'; readonly messageId: string }
  | { readonly type: 'reasoning.delta'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'reasoning.end'; readonly messageId: string }
  | {
      readonly type: 'tool.start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly operationId: string;
      readonly messageId: string;
    }
  | { readonly type: 'tool.args'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'tool.end'; readonly toolCallId: string }
  | {
      readonly type: 'tool.result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly operationId: string;
      readonly messageId: string;
      readonly status: OperationStatus;
      readonly outcome: ToolOutcome;
      readonly content: string;
    }
  | { readonly type: 'custom'; readonly name: string; readonly value: JsonValue }
  | { readonly type: 'run.suspended'; readonly segment: string; readonly approvals: readonly AnnouncedApproval[] }
  | { readonly type: 'run.finished'; readonly segment: string; readonly output: JsonValue }
  | { readonly type: 'run.cancelled'; readonly segment: string; readonly source: string; readonly reason: string }
  | { readonly type: 'run.failed'; readonly segment: string; readonly message: string; readonly code: string };

/** What an executor may say itself; the rest is the session's word. */
export type EmittedEvent = Extract<
  RunEvent,
  {
    type: 'text.start' | 'text.delta' | 'text.end' | 'reasoning.start' | 'reasoning.delta' | 'reasoning.end' | 'custom';
  }
>;

/** A stored event. `seq` is strictly increasing within its run, from 1, without gaps. */
export interface RunFrame {
  readonly seq: number;
  readonly event: RunEvent;
}

const TERMINAL: ReadonlySet<RunEvent['type']> = new Set([
  'run.suspended',
  'run.finished',
  'run.cancelled',
  'run.failed',
]);

/** Whether an event closes its segment of the stream. */
export const endsSegment = (event: RunEvent): boolean => TERMINAL.has(event.type);
