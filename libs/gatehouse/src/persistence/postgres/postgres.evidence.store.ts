import { Logger } from '@nestjs/common';
import type { ApprovalRequest } from '../../contracts/approval.js';
import type { ApprovalEvent, RefusedDecision } from '../../contracts/approval.event.js';
import type { AuditEvent } from '../../contracts/audit.event.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { LedgerEntry, LedgerKind, StoredEntry } from '../../contracts/ledger.js';
import type { OpenIntent } from '../../contracts/intent.js';
import type { Page } from '../../contracts/page.js';
import type { EvidenceLog } from '../../contracts/ports/evidence.log.js';
import {
  EvidenceStore,
  type ApprovalEventQuery,
  type ApprovalEvidenceQuery,
  type EvidenceQuery,
  type IntentQuery,
  type ExecutionQuery,
  type OperationQuery,
  type TerminalEntry,
  type TerminalQuery,
  type TimelineEntry,
} from '../../contracts/ports/evidence.store.js';
import { isUuid } from '../../values/ids.js';
import { EXECUTION_KINDS, executionOf } from '../../values/ledger/execution.entry.js';
import { operationOf } from '../../values/ledger/operation.entry.js';
import { terminalOf } from '../../values/ledger/terminal.entry.js';
import { timelineOf } from '../../values/ledger/timeline.js';
import { pageOf, pageStart } from '../paging.js';
import type { Database } from './database.js';
import { Filter } from './filter.js';
import { readIntent, readOpenIntents } from './ledger/intent.reads.js';
import { readPage, readRun } from './ledger/ledger.page.js';
import { PostgresEvidenceLog } from './postgres.evidence.log.js';
import { EVENT_FIELDS, type PlacedEvent } from './rows/approval.event.rows.js';
import { approvalRequest, type ShownApprovalRow } from './rows/approval.rows.js';
import type { TableNames } from './table.names.js';
import { appendRefusedDecision } from './transactions/refused.decision.js';

const MOST = 500;
// What was sealed outlives the row that people worked on.
const THREAD = 'coalesce(a.thread_id, asked.thread_id)';

/** Evidence in Postgres. Reads go by the names an auditor uses. */
export class PostgresEvidenceStore extends EvidenceStore {
  private readonly logger = new Logger('gatehouse.evidence');

  constructor(
    private readonly database: Database,
    private readonly log: EvidenceLog = new PostgresEvidenceLog(database),
  ) {
    super();
  }

  override async append(entries: readonly LedgerEntry[]): Promise<void> {
    for (let at = 0; at < entries.length; at += MOST) {
      const { refused, conflicts } = await this.log.append(entries.slice(at, at + MOST));
      for (const { reason } of refused) this.logger.error(`A record is lost, the others are kept. ${reason}`);
      for (const { record } of conflicts)
        this.logger.error(`Record ${record.id} is there already, and says something else.`);
    }
  }

  override async moveFacts(most = MOST): Promise<number> {
    return (await this.log.moveFacts(most)).moved;
  }

  override async openIntents(query: IntentQuery): Promise<Page<OpenIntent>> {
    const { limit, after } = pageStart(query);
    const filter = commonFilter(query).between('l.at', query.from, query.until).named('l.tool_name', query.toolName);
    const read = await this.database.statement('read open intents', (sql) =>
      readOpenIntents(sql, filter, after, limit),
    );
    return pageOf(read, limit);
  }

  override async intent(id: string): Promise<{ readonly open: OpenIntent; readonly closed: boolean } | undefined> {
    if (!isUuid(id)) return undefined;
    return this.database.statement('read an intent', (sql) => readIntent(sql, id));
  }

  override async executions(query: ExecutionQuery): Promise<Page<AuditEvent>> {
    const { limit, after } = pageStart(query);
    const filter = commonFilter(query)
      .between('l.started_at', query.from, query.until)
      .named('l.tool_name', query.toolName)
      .equals('l.status', query.success === undefined ? undefined : query.success ? 'success' : 'failure')
      .isId('l.operation_id', query.operationId)
      .named('l.target_type', query.targetType)
      .named('l.target_id', query.targetId);
    const kinds = EXECUTION_KINDS.filter(
      (kind) => query.kind === undefined || (kind === 'run.audit') === (query.kind === 'run'),
    );
    const read = await this.page('read executions', kinds, filter, after, limit);
    return pageOf(read.map(executionOf), limit);
  }

  override async operations(query: OperationQuery): Promise<Page<OperationRecord>> {
    const { limit, after } = pageStart(query);
    const filter = commonFilter(query)
      .between('l.started_at', query.from, query.until)
      .named('l.tool_name', query.toolName)
      .equals('l.status', query.status)
      .equals('l.decided_by', query.decidedBy);
    const read = await this.page('read operations', ['operation.finished'], filter, after, limit);
    return pageOf(read.map(operationOf), limit);
  }

  override async approvals(query: ApprovalEvidenceQuery): Promise<Page<ApprovalRequest>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .isId('run_id', query.runId)
      .equals('thread_id', query.threadId)
      .equals('organization_id', query.organizationId)
      .equals('requested_by', query.principalId)
      .between('requested_at', query.from, query.until)
      .equals('tool_name', query.toolName)
      .equals('status', query.status)
      .within('decided_by', query.approver);
    const approver = isIndexed(query.approver) ? filter.values.length : undefined;
    const rows = await this.database.statement('read approvals', (sql) =>
      sql.rows<SealedApprovalRow>(
        `SELECT * FROM ${sql.tables.approvalView} ${filter.page('id', after, limit, votedBy(sql.tables, approver))}`,
        filter.values,
      ),
    );
    return pageOf(
      rows.map((row) => approvalRequest(withShown(row))),
      limit,
    );
  }

  override appendRefusedDecision(attempt: RefusedDecision): Promise<void> {
    return this.database.factual('append a refused decision', (sql) => appendRefusedDecision(sql, attempt));
  }

  override async approvalEvents(query: ApprovalEventQuery): Promise<Page<ApprovalEvent>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .isId('e.run_id', query.runId)
      .isId('e.approval_id', query.approvalId)
      .equals(THREAD, query.threadId)
      .equals('e.organization_id', query.organizationId)
      .equals('e.principal_id', query.principalId)
      .between('e.at', query.from, query.until)
      .equals('e.tool_name', query.toolName)
      .equals('e.kind', query.kind);
    const rows = await this.database.statement('read what happened to approvals', async (sql) => {
      const { approvalEvent, approval, log } = sql.tables;
      const last = await sql.row<PlacedEvent>(`SELECT seq FROM ${approvalEvent} WHERE id = $1`, [after]);
      return sql.rows<ApprovalEvent>(
        `SELECT ${EVENT_FIELDS} FROM ${approvalEvent} e LEFT JOIN ${approval} a ON a.id = e.approval_id
          LEFT JOIN LATERAL (SELECT l.thread_id FROM ${log} l WHERE a.id IS NULL AND l.run_id = e.run_id
            AND l.approval_id = e.approval_id AND l.kind = 'approval.requested' LIMIT 1) asked ON true
          ${filter.page('e.seq', after === null ? null : (last?.seq ?? '0'), limit)}`,
        filter.values,
      );
    });
    return pageOf(rows, limit);
  }

  override async terminals(query: TerminalQuery): Promise<Page<TerminalEntry>> {
    const { limit, after } = pageStart(query);
    const filter = commonFilter(query)
      .between('l.at', query.from, query.until)
      .equals('l.status', query.status)
      .named('l.agent', query.agent);
    const read = await this.page('read terminal records', ['run.terminal'], filter, after, limit);
    return pageOf(read.map(terminalOf), limit);
  }

  override async timeline(runId: string): Promise<readonly TimelineEntry[]> {
    if (!isUuid(runId)) return [];
    return this.database.statement('read a timeline', async (sql) => timelineOf(await readRun(sql, runId)));
  }

  private page(
    action: string,
    kinds: readonly LedgerKind[],
    filter: Filter,
    after: string | null,
    limit: number,
  ): Promise<StoredEntry[]> {
    return this.database.statement(action, (sql) => readPage(sql, kinds, filter, after, limit));
  }
}

const commonFilter = (query: EvidenceQuery): Filter =>
  new Filter()
    .isId('l.run_id', query.runId)
    .named('l.thread_id', query.threadId)
    .named('l.organization_id', query.organizationId)
    .named('l.principal_id', query.principalId);

// Longer names stand in the log shortened.
const isIndexed = (name: string | undefined): boolean => name !== undefined && name.length <= 256;

/** Those the person of this parameter voted on at all: cheap to tell, and who decided is then looked up for these alone. */
const votedBy = ({ log, outbox }: TableNames, parameter: number | undefined): string | undefined => {
  if (parameter === undefined) return undefined;
  const votes = [log, outbox].map(
    (table) =>
      `SELECT v.approval_id FROM ${table} v WHERE v.kind = 'approval.voted' AND v.principal_id = $${parameter}`,
  );
  // IS TRUE: a filter of its own, not a join, which would come after the other.
  return `(id IN (${votes.join(' UNION ALL ')})) IS TRUE`;
};

/** What was recorded of an approval, and what its row adds: null once that is gone. */
type SealedApprovalRow = Omit<ShownApprovalRow, Shown> & { readonly [Part in Shown]: ShownApprovalRow[Part] | null };
type Shown = 'shown' | 'hidden' | 'approvers' | 'editable' | 'expires_at';

const withShown = (row: SealedApprovalRow): ShownApprovalRow => ({
  ...row,
  shown: row.shown ?? 'null',
  hidden: row.hidden ?? '[""]',
  approvers: row.approvers ?? '{}',
  editable: row.editable ?? '[]',
  expires_at: row.expires_at ?? row.requested_at,
});
