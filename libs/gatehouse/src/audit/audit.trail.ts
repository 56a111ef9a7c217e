import { Injectable } from '@nestjs/common';
import type { ApprovalRequest } from '../contracts/approval.js';
import type { ApprovalEvent } from '../contracts/approval.event.js';
import type { AuditEvent } from '../contracts/audit.event.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import type { Page, PageQuery } from '../contracts/page.js';
import {
  EvidenceStore,
  type ApprovalEventQuery,
  type ApprovalEvidenceQuery,
  type ExecutionQuery,
  type OperationQuery,
  type TerminalEntry,
  type TerminalQuery,
  type TimelineEntry,
} from '../contracts/ports/evidence.store.js';

const DEFAULT_LIMIT = 50;
const MOST = 500;

/**
 * Reads the evidence, newest first, at most 500 records a page.
 *
 * @example
 * ```ts
 * const { items, nextCursor } = await trail.executions({ toolName: 'refund', success: false });
 * ```
 */
@Injectable()
export class AuditTrail {
  constructor(private readonly store: EvidenceStore) {}

  /** What ran: one record for each started method, and one for each run that did not end well. */
  executions(query: ExecutionQuery = {}): Promise<Page<AuditEvent>> {
    return this.store.executions(paged(query));
  }

  /** What was proposed, and who decided what about it, whether or not it ran. */
  operations(query: OperationQuery = {}): Promise<Page<OperationRecord>> {
    return this.store.operations(paged(query));
  }

  /** What people were asked, and what they said. */
  approvals(query: ApprovalEvidenceQuery = {}): Promise<Page<ApprovalRequest>> {
    return this.store.approvals(paged(query));
  }

  /** What happened to approvals, in which order, by whom; attempts of people who may not decide (`kind: 'refused'`) too. */
  approvalEvents(query: ApprovalEventQuery = {}): Promise<Page<ApprovalEvent>> {
    return this.store.approvalEvents(paged(query));
  }

  /** How runs ended. */
  terminals(query: TerminalQuery = {}): Promise<Page<TerminalEntry>> {
    return this.store.terminals(paged(query));
  }

  /** Everything that happened in one run, in order. Empty for an unknown run. */
  timeline(runId: string): Promise<readonly TimelineEntry[]> {
    return this.store.timeline(runId);
  }
}

function paged<Query extends PageQuery>(query: Query): Query & { readonly limit: number } {
  const asked = Math.trunc(query.limit ?? DEFAULT_LIMIT);
  return { ...query, limit: Number.isNaN(asked) ? DEFAULT_LIMIT : Math.min(Math.max(asked, 1), MOST) };
}
