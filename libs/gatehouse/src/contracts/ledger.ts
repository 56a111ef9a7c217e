import type { ApprovalEventKind } from './approval.event.js';

/** What a record of the evidence is about. */
export type LedgerKind =
  | 'tool.intent'
  | 'tool.executed'
  | 'tool.withdrawn'
  | 'tool.late'
  | 'tool.resolved'
  | 'operation.finished'
  | `approval.${ApprovalEventKind}`
  | 'run.started'
  | 'run.terminal'
  | 'run.audit'
  | 'config'
  | 'gap'
  | 'read'
  | 'erased'
  | 'retention'
  | 'writer';

/**
 * The sealed part of a record: typed, no free text, only opaque ids. An absent field is NULL. Names are those of the columns of `audit_log`, in
 * camel case; instants have milliseconds.
 */
export interface LedgerRecord {
  /** A uuid v7: its time says in which month the record is kept. */
  readonly id: string;
  readonly kind: LedgerKind;
  /** When it happened; of what took a while, when it was over. */
  readonly at: Date;
  readonly startedAt?: Date | null;
  readonly organizationId?: string | null;
  /** Whom it was done for; of approvals, whose doing it was; of an erasure, whose traces went. */
  readonly principalId?: string | null;
  readonly runId?: string | null;
  readonly threadId?: string | null;
  readonly parentRunId?: string | null;
  readonly operationId?: string | null;
  readonly parentOperationId?: string | null;
  readonly approvalId?: string | null;
  readonly blockedByOperationId?: string | null;
  readonly redirectedFromOperationId?: string | null;
  readonly step?: number | null;
  readonly position?: number | null;
  readonly agent?: string | null;
  readonly toolName?: string | null;
  readonly toolCallId?: string | null;
  /** `tool` or `output`, of an operation. */
  readonly callKind?: string | null;
  readonly status?: string | null;
  readonly outcome?: string | null;
  readonly stage?: string | null;
  /** Who cancelled. */
  readonly source?: string | null;
  readonly decidedBy?: string | null;
  readonly executionStarted?: boolean | null;
  readonly late?: boolean | null;
  /** Keyed by a secret of the run, so that it tells nothing once the run's key is erased. */
  readonly argumentsDigest?: string | null;
  readonly executedDigest?: string | null;
  /** The class of what was thrown. */
  readonly errorType?: string | null;
  readonly targetType?: string | null;
  readonly targetId?: string | null;
  readonly durationUs?: number | null;
  readonly resultSize?: number | null;
  readonly requests?: number | null;
  readonly toolCalls?: number | null;
  readonly inputTokens?: number | null;
  readonly outputTokens?: number | null;
  /** How many: records of a gap, of an export, erased payloads. */
  readonly amount?: number | null;
  /** What else it is about: a month, a version, the writer, the format of an export. */
  readonly reference?: string | null;
  readonly traceId?: string | null;
  readonly spanId?: string | null;
}

/** The erasable part: texts, redacted and bounded. Kept beside the record as the exact bytes of one JSON object. */
export interface LedgerPayload {
  readonly arguments?: string;
  readonly result?: string;
  /** `Class: message`. */
  readonly error?: string;
  readonly reason?: string;
  readonly guidance?: string;
  readonly note?: string;
  readonly detail?: string;
  /** JSON. */
  readonly shadowed?: string;
  readonly failedOperationIds?: string;
  readonly ipAddress?: string;
  readonly userAgent?: string;
}

/** One record on its way into the evidence. */
export interface LedgerEntry {
  readonly record: LedgerRecord;
  readonly payload: LedgerPayload | null;
}

/** A record as it is read back. */
export interface StoredEntry extends LedgerEntry {
  /** It had a payload, which was erased since. */
  readonly erased: boolean;
  /** It is in the sealed log; false for a fact that is still on its way there. */
  readonly sealed: boolean;
}

/** What stands where an erased text stood. */
export const ERASED = '[erased]';

/** What a flushed batch commits to: which writer's how manieth batch, how many records, from which to which, and the Merkle root of their leaves. */
export interface BatchHeader {
  readonly writerId: string;
  /** From 1, without a gap. */
  readonly seq: number;
  readonly count: number;
  readonly firstId: string;
  readonly lastId: string;
  /** 32 bytes. */
  readonly root: Uint8Array;
}
