import type { ShadowedDecision } from './operation.js';
import type { DecidedBy, OperationStatus, ToolOutcome } from './statuses.js';

/** One proposal as the decision ledger keeps it, whether or not anything ran. Redacted and bounded. */
export interface OperationRecord {
  /** The operation id. */
  readonly id: string;
  readonly runId: string;
  readonly threadId: string;
  readonly step: number;
  readonly position: number;
  readonly kind: 'tool' | 'output';
  readonly toolName: string;
  readonly toolCallId: string;
  /** Redacted JSON of the arguments: validated ones, else as received. */
  readonly argumentsRepr: string;
  /** Of the arguments that were proposed and inspected: those of `argumentsRepr`. */
  readonly argumentsDigest: string | null;
  /**
   * Of the arguments that the method got, or was about to get when they were refused, where a middleware or an interceptor had changed them after
   * their inspection; null where nothing changed. Of several starts, the last one's.
   */
  readonly executedDigest: string | null;
  readonly status: OperationStatus;
  readonly outcome: ToolOutcome;
  readonly executionStarted: boolean;
  readonly decidedBy: DecidedBy | null;
  readonly reason: string | null;
  readonly guidance: string | null;
  readonly blockedByOperationId: string | null;
  readonly redirectedFromOperationId: string | null;
  readonly approvalId: string | null;
  /** `Class: message`, redacted; null when nothing was thrown. */
  readonly error: string | null;
  readonly shadowed: readonly ShadowedDecision[];
  readonly organizationId: string | null;
  readonly principalId: string | null;
  readonly parentOperationId: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly durationMs: number;
  /** The span of this call, also where nothing ran; absent without tracing. */
  readonly traceId?: string | null;
  readonly spanId?: string | null;
}
