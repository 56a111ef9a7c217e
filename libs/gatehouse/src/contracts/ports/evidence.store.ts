import type { ApprovalRequest } from '../approval.js';
import type { ApprovalEvent, ApprovalEventKind, RefusedDecision } from '../approval.event.js';
import type { AuditEvent } from '../audit.event.js';
import type { OpenIntent } from '../intent.js';
import type { LedgerEntry } from '../ledger.js';
import type { OperationRecord } from '../operation.record.js';
import type { Page, PageQuery } from '../page.js';
import type { ApprovalStatus, DecidedBy, OperationStatus, TerminalStatus } from '../statuses.js';
import type { TerminalRecord } from '../terminal.record.js';

/** What every evidence query can filter by. */
export interface EvidenceQuery extends PageQuery {
  readonly runId?: string;
  readonly threadId?: string;
  readonly organizationId?: string;
  readonly principalId?: string;
  /** From this instant, inclusive. */
  readonly from?: Date;
  /** Until this instant, exclusive. */
  readonly until?: Date;
}
/** Filters of the started methods, and of the runs that did not end well (`kind`). */
export interface ExecutionQuery extends EvidenceQuery {
  readonly toolName?: string;
  readonly kind?: 'tool' | 'run';
  readonly success?: boolean;
  readonly operationId?: string;
  readonly targetType?: string;
  readonly targetId?: string;
}
/** Filters of what became of each proposed call. */
export interface OperationQuery extends EvidenceQuery {
  readonly toolName?: string;
  readonly status?: OperationStatus;
  readonly decidedBy?: DecidedBy;
}
/** Filters of approvals, the settled ones included. `principalId` is whoever the call was asked for. */
export interface ApprovalEvidenceQuery extends EvidenceQuery {
  readonly toolName?: string;
  readonly status?: ApprovalStatus;
  /** One of the people who decided. */
  readonly approver?: string;
}
/** `principalId` is whoever did it. */
export interface ApprovalEventQuery extends EvidenceQuery {
  readonly approvalId?: string;
  readonly toolName?: string;
  readonly kind?: ApprovalEventKind;
}
/** Filters of intents without an outcome. */
export interface IntentQuery extends EvidenceQuery {
  readonly toolName?: string;
}
/** Filters of how runs ended. */
export interface TerminalQuery extends EvidenceQuery {
  readonly status?: TerminalStatus;
  readonly agent?: string;
}

/** A terminal record as read back: the operations are in the operation ledger, here only their ids. */
export type TerminalEntry = Omit<TerminalRecord, 'failedOperations'> & {
  readonly failedOperationIds: readonly string[];
};

/** What a timeline tells of. */
export type TimelineKind =
  | 'run.started'
  | 'operation'
  | 'execution'
  | 'tool.intent'
  | 'tool.withdrawn'
  | 'tool.resolved'
  | `approval.${ApprovalEventKind}`
  | 'run.terminal';

/** One thing that happened in a run, in order. */
export interface TimelineEntry {
  readonly at: Date;
  readonly kind: TimelineKind;
  /** The record's id; of what happened to an approval, the approval's. */
  readonly id: string;
  readonly toolName: string | null;
  readonly status: string | null;
  readonly detail: string | null;
  /** Whose doing it was, where a person did it to an approval: asked, voted, tried to, resolved. */
  readonly by: string | null;
}

/** Evidence: appended, never changed. */
export abstract class EvidenceStore {
  /** Idempotent by id: the same record twice is one. */
  abstract append(entries: readonly LedgerEntry[]): Promise<void>;
  /**
   * Brings facts that working state left behind (`RunStore`) into the log, the oldest first, at most `most`; returns how many. They can be read
   * before: this seals them.
   */
  abstract moveFacts(most?: number): Promise<number>;
  /**
   * Somebody tried to decide what they may not. The same attempt within a minute is one: whoever repeats it fills no table. Nothing for an unknown
   * approval.
   */
  abstract appendRefusedDecision(attempt: RefusedDecision): Promise<void>;
  /** Intents without an outcome. */
  abstract openIntents(query: IntentQuery): Promise<Page<OpenIntent>>;
  /** One intent; nothing for an unknown id. */
  abstract intent(id: string): Promise<{ readonly open: OpenIntent; readonly closed: boolean } | undefined>;
  abstract executions(query: ExecutionQuery): Promise<Page<AuditEvent>>;
  abstract operations(query: OperationQuery): Promise<Page<OperationRecord>>;
  abstract approvals(query: ApprovalEvidenceQuery): Promise<Page<ApprovalRequest>>;
  /** What happened to approvals, and who tried what with them. */
  abstract approvalEvents(query: ApprovalEventQuery): Promise<Page<ApprovalEvent>>;
  abstract terminals(query: TerminalQuery): Promise<Page<TerminalEntry>>;
  abstract timeline(runId: string): Promise<readonly TimelineEntry[]>;
}
