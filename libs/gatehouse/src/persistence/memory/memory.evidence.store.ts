import { Injectable } from '@nestjs/common';
import { Clock } from '../../contracts/clock.js';
import type { ApprovalRequest } from '../../contracts/approval.js';
import type { ApprovalEvent, RefusedDecision } from '../../contracts/approval.event.js';
import type { AuditEvent } from '../../contracts/audit.event.js';
import type { LedgerEntry } from '../../contracts/ledger.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { OpenIntent } from '../../contracts/intent.js';
import type { Page } from '../../contracts/page.js';
import {
  EvidenceStore,
  type ApprovalEventQuery,
  type ApprovalEvidenceQuery,
  type EvidenceQuery,
  type ExecutionQuery,
  type OperationQuery,
  type TerminalEntry,
  type TerminalQuery,
  type TimelineEntry,
} from '../../contracts/ports/evidence.store.js';
import { sanitizeText } from '../../values/sanitizer.js';
import { visibleText } from '../../values/visible-text.js';
import { appendEntry } from './memory.ledger.js';
import { EMPTY_PAGE } from '../paging.js';
import { matches, pageOfAll } from './memory.page.js';
import { chronicle } from './memory.history.js';
import { copied, MemoryState } from './memory.state.js';
import { timelineOf } from './memory.timeline.js';
import { approvalRequest } from './memory.views.js';

const REPEATED_WITHIN = 60_000;

/** Evidence in this process; gone with it. */
@Injectable()
export class MemoryEvidenceStore extends EvidenceStore {
  constructor(
    private readonly state: MemoryState,
    private readonly clock: Clock,
  ) {
    super();
  }

  override append(entries: readonly LedgerEntry[]): Promise<void> {
    return this.state.transaction(() => {
      for (const entry of entries) appendEntry(this.state, entry);
    });
  }

  /** Working state leaves nothing behind here: its facts are evidence at once. */
  override moveFacts(): Promise<number> {
    return Promise.resolve(0);
  }

  override appendRefusedDecision({ approvalId, principalId, why }: RefusedDecision): Promise<void> {
    return this.state.transaction(() => {
      const approval = this.state.approvals.get(approvalId);
      if (approval === undefined) return;
      const now = this.clock.now();
      const told = {
        principalId: principalId === undefined ? null : visibleText(principalId),
        detail: sanitizeText(why),
      };
      const again = approval.history.some(
        (event) =>
          event.kind === 'refused' &&
          event.principalId === told.principalId &&
          event.detail === told.detail &&
          event.at.getTime() > now.getTime() - REPEATED_WITHIN,
      );
      if (!again) chronicle(approval, 'refused', now, told);
    });
  }

  override approvalEvents(query: ApprovalEventQuery): Promise<Page<ApprovalEvent>> {
    return this.state.transaction(() => {
      const { threadId, ...filters } = filtersOf(query);
      const matching = [...this.state.approvals.values()]
        .filter(({ asked }) => threadId === undefined || asked.threadId === visibleText(threadId))
        .flatMap(({ history }) => history)
        .filter((event) => matches(event, filters))
        .filter(({ at }) => isWithin(at, query));
      return pageOfAll(copied(matching), query);
    });
  }

  /** What must be recorded needs `persistence`: here nothing is ever about to be. */
  override openIntents(): Promise<Page<OpenIntent>> {
    return Promise.resolve(EMPTY_PAGE);
  }

  override intent(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override executions(query: ExecutionQuery): Promise<Page<AuditEvent>> {
    return this.state.transaction(() => {
      const matching = [...this.state.executions.values()]
        .filter((event) => matches(event, filtersOf(query)))
        .filter(({ startedAt }) => isWithin(startedAt, query));
      return pageOfAll(copied(matching), query);
    });
  }

  override operations(query: OperationQuery): Promise<Page<OperationRecord>> {
    return this.state.transaction(() => {
      const matching = [...this.state.operations.values()]
        .filter((record) => matches(record, filtersOf(query)))
        .filter(({ startedAt }) => isWithin(startedAt, query));
      return pageOfAll(copied(matching), query);
    });
  }

  override approvals(query: ApprovalEvidenceQuery): Promise<Page<ApprovalRequest>> {
    return this.state.transaction(() => {
      const { approver, principalId, ...filters } = filtersOf(query);
      const matching = [...this.state.approvals.values()]
        .map(approvalRequest)
        .filter((approval) => matches(approval, { ...filters, requestedBy: principalId }))
        .filter(({ decidedBy }) => approver === undefined || decidedBy.includes(visibleText(approver)))
        .filter(({ requestedAt }) => isWithin(requestedAt, query));
      return pageOfAll(matching, query);
    });
  }

  override terminals(query: TerminalQuery): Promise<Page<TerminalEntry>> {
    return this.state.transaction(() => {
      const matching = [...this.state.terminals.values()]
        .filter((record) => matches(record, filtersOf(query)))
        .filter(({ finishedAt }) => isWithin(finishedAt, query));
      return pageOfAll(copied(matching), query);
    });
  }

  override timeline(runId: string): Promise<readonly TimelineEntry[]> {
    return this.state.transaction(() => timelineOf(this.state, runId));
  }
}

/** The fields of a query that are compared as they are. */
function filtersOf<Q extends EvidenceQuery>(query: Q): Omit<Q, 'limit' | 'cursor' | 'from' | 'until'> {
  const { limit: _limit, cursor: _cursor, from: _from, until: _until, ...filters } = query;
  return filters;
}

function isWithin(at: Date, { from, until }: EvidenceQuery): boolean {
  return (from === undefined || at >= from) && (until === undefined || at < until);
}
