import type { JsonValue } from '../json.js';
import type { OperationStatus, ToolOutcome } from '../statuses.js';

/** How a settled operation stands in working state. */
export interface StoredResult {
  readonly status: OperationStatus;
  readonly outcome: ToolOutcome;
  readonly content: string;
}

/** One proposed call in working state: exact values, never shown to anyone but the method. */
export interface StoredOperation {
  readonly operationId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly position: number;
  /** An output proposal; absent: a tool call. */
  readonly kind?: 'output';
  /** An output proposal in the response's own text: no call of the model answers to it. */
  readonly inText?: true;
  /** Canonical JSON of what the model wrote; the raw text where it was no JSON. */
  readonly received: string;
  /** Canonical JSON of what validation and pipes made of it; absent until then. */
  readonly validated?: string;
  readonly approvalId?: string;
  /** How often an approval of this operation became void. A second time fails it. */
  readonly voided: number;
  readonly redirectedFromOperationId?: string;
  /** How many redirects of one call led here; absent: none. */
  readonly redirects?: number;
  /** The method was executed before the operation came to wait. */
  readonly executed?: true;
  /** Its tool handed the call on: its result comes from outside. */
  readonly deferred?: true;
  /** Absent: open or waiting. */
  readonly result?: StoredResult;
  readonly startedAt: string;
}

/** One response of the model with its ordered calls. */
export interface StoredStep {
  readonly runId: string;
  /** From 1. */
  readonly step: number;
  readonly text: string;
  readonly messageId: string;
  readonly operations: readonly StoredOperation[];
  /** The run's working state when the response began; absent once it is suspended or settled, for the run has it from then on. */
  readonly state?: Readonly<Record<string, JsonValue>>;
}
