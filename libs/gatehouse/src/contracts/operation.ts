import type { HookDecision, Rejection } from './decisions/decisions.js';
import type { JsonValue } from './json.js';
import type { Principal } from './principal.js';
import type { DecidedBy, OperationStatus, ToolOutcome } from './statuses.js';
import type { ToolDefinition } from './tool.definition.js';

/** One call as a model, or a program, proposes it. */
export interface ProposedCall {
  /** The model's id; empty or repeated ones get one of ours. */
  readonly toolCallId?: string;
  readonly toolName: string;
  /** The model's own text, or a live value. Either is checked by the same rules. */
  readonly args: unknown;
}

/** What an inspector decides about. Frozen; gated calls carry a deeply frozen copy of the arguments. */
export interface OperationRequest {
  readonly operationId: string;
  readonly runId: string;
  readonly threadId: string;
  /** The response of the model, from 1. */
  readonly step: number;
  /** The place in that response, from 0. */
  readonly position: number;
  readonly kind: 'tool' | 'output';
  readonly toolName: string;
  readonly args: unknown;
  readonly argumentsDigest: string;
  /** Absent for a name nobody knows. */
  readonly tool?: ToolDefinition;
  readonly user?: Principal;
  readonly organizationId?: string;
  readonly parentOperationId?: string;
  /** True when a person has approved exactly these arguments. */
  readonly approved: boolean;
  readonly state: Readonly<Record<string, JsonValue>>;
}

/** A refusal. `OperationRejectedError.rejection` and the operation's record hold this same object. */
export interface OperationRejection {
  readonly request: OperationRequest;
  readonly reason: Rejection['reason'];
  readonly guidance?: string;
}

/** A hook's decision that another one went before. */
export interface ShadowedDecision {
  readonly hook: string;
  readonly decision: HookDecision['kind'];
}

/** The one fact about an operation that ended. Frozen. */
export interface OperationFinished {
  readonly request: OperationRequest;
  readonly status: OperationStatus;
  readonly outcome: ToolOutcome;
  readonly executionStarted: boolean;
  readonly rejection?: OperationRejection;
  readonly blockedByOperationId?: string;
  readonly redirectedFromOperationId?: string;
  readonly shadowed: readonly ShadowedDecision[];
  readonly decidedBy?: DecidedBy;
  /** A reason a person, hook or policy gave; redacted. */
  readonly reason?: string;
  /** What the method threw; never leaves the process. */
  readonly exception?: unknown;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly durationMs: number;
}

/** What comes back for one proposed call, in emission order. */
export interface ToolCallResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly operationId: string;
  readonly status: OperationStatus;
  readonly outcome: ToolOutcome;
  /** What the model reads. */
  readonly content: string;
  /** The method's own value, where it ran here. */
  readonly value?: unknown;
  readonly error?: unknown;
}
