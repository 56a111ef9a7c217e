import type { JsonObject, JsonValue } from './json.js';
import type { OperationStatus, TerminalStatus, ToolOutcome } from './statuses.js';
import type { SegmentUsage } from './usage.js';

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

/** A deferred call as a stream announces it. */
export interface AnnouncedDeferral {
  readonly operationId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly metadata: JsonObject;
}

/** One operation of a JSON Patch (RFC 6902): what changed in a run's state. */
export type StatePatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** Where a run that a call has started stands. `running`: it goes on, and this segment says no more of it. */
export type ChildStatus = TerminalStatus | 'suspended' | 'running';

interface SegmentEnd {
  readonly segment: string;
  /** Where the run, or one below it, has asked a model that counts tokens. */
  readonly usage?: SegmentUsage;
}

/**
 * What a run says while it runs: protocol-neutral, already redacted, stored before it is sent. An encoder turns each into at most one AG-UI
 * frame. Every span is closed before a terminal event. The state is told as a whole, once in each segment and before any change of it.
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
  | { readonly type: 'state.snapshot'; readonly state: JsonValue }
  | { readonly type: 'state.delta'; readonly patch: readonly StatePatchOperation[] }
  | {
      readonly type: 'child.started';
      readonly runId: string;
      readonly agent: string;
      readonly operationId: string;
      readonly toolCallId?: string;
    }
  | { readonly type: 'child.finished'; readonly runId: string; readonly status: ChildStatus }
  | { readonly type: 'custom'; readonly name: string; readonly value: JsonValue }
  | (SegmentEnd & {
      readonly type: 'run.suspended';
      readonly approvals: readonly AnnouncedApproval[];
      /** Absent: none. */
      readonly deferred?: readonly AnnouncedDeferral[];
    })
  | (SegmentEnd & { readonly type: 'run.finished'; readonly output: JsonValue })
  | (SegmentEnd & { readonly type: 'run.cancelled'; readonly source: string; readonly reason: string })
  | (SegmentEnd & { readonly type: 'run.failed'; readonly message: string; readonly code: string });

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

const ENDS_RUN: ReadonlySet<RunEvent['type']> = new Set(['run.finished', 'run.cancelled', 'run.failed']);

/** Whether an event is the last one of its run. */
export const endsRun = (event: RunEvent): boolean => ENDS_RUN.has(event.type);
