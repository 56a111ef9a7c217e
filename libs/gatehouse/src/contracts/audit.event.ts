/**
 * One started method, or one run that did not end well: what ran, with what, how it ended. Frozen, already redacted and bounded.
 * The idea is Django Spec Agents' audit capability: the record describes the method alone, whatever stood around it.
 */
export interface AuditEvent {
  readonly id: string;
  readonly kind: 'tool' | 'run';
  readonly toolName: string;
  /** JSON, keys sorted, as the method received them. */
  readonly argumentsRepr: string;
  /** Milliseconds on a monotonic clock, the method only. */
  readonly durationMs: number;
  readonly success: boolean;
  /** `Class: message` as thrown, or null. */
  readonly error: string | null;
  /** UTF-16 length of the method's own result; null on failure. */
  readonly resultSize: number | null;
  readonly organizationId: string | null;
  readonly targetType: string | null;
  readonly targetId: string | null;
  readonly ipAddress: string | null;
  readonly runId: string;
  readonly threadId: string;
  /** Null for a run-level record. */
  readonly operationId: string | null;
  readonly principalId: string | null;
  /** The method settled after its run had ended. */
  readonly late: boolean;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** The span that the method ran in; absent without tracing. */
  readonly traceId?: string | null;
  readonly spanId?: string | null;
}
