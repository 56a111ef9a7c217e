import type { ApprovalRequest } from '../../contracts/approval.js';
import type { ApprovalEvent, RefusedDecision } from '../../contracts/approval.event.js';
import type { AuditEvent } from '../../contracts/audit.event.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { Page } from '../../contracts/page.js';
import {
  EvidenceStore,
  type ApprovalEventQuery,
  type ApprovalEvidenceQuery,
  type ExecutionQuery,
  type OperationQuery,
  type TerminalEntry,
  type TerminalQuery,
  type TimelineEntry,
} from '../../contracts/ports/evidence.store.js';
import { isUuid } from '../../values/ids.js';
import { pageOf, pageStart } from '../paging.js';
import { appendEach } from './append.each.js';
import type { Database } from './database.js';
import { Filter } from './filter.js';
import { EVENT_FIELDS, type PlacedEvent } from './rows/approval.event.rows.js';
import { approvalRequest, type ShownApprovalRow } from './rows/approval.rows.js';
import { operationRecord, terminalEntry, type OperationFields } from './rows/evidence.rows.js';
import type { TerminalRow } from './tables/evidence.tables.js';
import { EXECUTION_FIELDS, OPERATION_FIELDS } from './writes/evidence.columns.js';
import { appendRefusedDecision } from './transactions/refused.decision.js';
import { writeExecutions, writeOperations } from './writes/evidence.writes.js';

/** Evidence in Postgres. Reads go by the names an auditor uses. */
export class PostgresEvidenceStore extends EvidenceStore {
  constructor(private readonly database: Database) {
    super();
  }

  override appendExecutions(events: readonly AuditEvent[]): Promise<void> {
    return appendEach(events, (some) =>
      this.database.statement('append executions', (sql) => writeExecutions(sql, some)),
    );
  }

  override appendOperations(records: readonly OperationRecord[]): Promise<void> {
    return appendEach(records, (some) =>
      this.database.statement('append operations', (sql) => writeOperations(sql, some)),
    );
  }

  override async executions(query: ExecutionQuery): Promise<Page<AuditEvent>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .isId('run_id', query.runId)
      .equals('thread_id', query.threadId)
      .equals('organization_id', query.organizationId)
      .equals('principal_id', query.principalId)
      .between('started_at', query.from, query.until)
      .equals('tool_name', query.toolName)
      .equals('kind', query.kind)
      .equals('success', query.success)
      .isId('operation_id', query.operationId)
      .equals('target_type', query.targetType)
      .equals('target_id', query.targetId);
    const rows = await this.database.statement('read executions', (sql) =>
      sql.rows<AuditEvent>(
        `SELECT ${EXECUTION_FIELDS} FROM ${sql.tables.execution} ${filter.page('id', after, limit)}`,
        filter.values,
      ),
    );
    return pageOf(rows, limit);
  }

  override async operations(query: OperationQuery): Promise<Page<OperationRecord>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .isId('run_id', query.runId)
      .equals('thread_id', query.threadId)
      .equals('organization_id', query.organizationId)
      .equals('principal_id', query.principalId)
      .between('started_at', query.from, query.until)
      .equals('tool_name', query.toolName)
      .equals('status', query.status)
      .equals('decided_by', query.decidedBy);
    const rows = await this.database.statement('read operations', (sql) =>
      sql.rows<OperationFields>(
        `SELECT ${OPERATION_FIELDS} FROM ${sql.tables.operation} ${filter.page('id', after, limit)}`,
        filter.values,
      ),
    );
    return pageOf(rows.map(operationRecord), limit);
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
    const rows = await this.database.statement('read approvals', (sql) =>
      sql.rows<ShownApprovalRow>(
        `SELECT * FROM ${sql.tables.approvalView} ${filter.page('id', after, limit)}`,
        filter.values,
      ),
    );
    return pageOf(rows.map(approvalRequest), limit);
  }

  override appendRefusedDecision(attempt: RefusedDecision): Promise<void> {
    return this.database.statement('append a refused decision', (sql) => appendRefusedDecision(sql, attempt));
  }

  override async approvalEvents(query: ApprovalEventQuery): Promise<Page<ApprovalEvent>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .isId('e.run_id', query.runId)
      .isId('e.approval_id', query.approvalId)
      .equals('a.thread_id', query.threadId)
      .equals('e.organization_id', query.organizationId)
      .equals('e.principal_id', query.principalId)
      .between('e.at', query.from, query.until)
      .equals('e.tool_name', query.toolName)
      .equals('e.kind', query.kind);
    const rows = await this.database.statement('read what happened to approvals', async (sql) => {
      const { approvalEvent, approval } = sql.tables;
      const last = await sql.row<PlacedEvent>(`SELECT seq FROM ${approvalEvent} WHERE id = $1`, [after]);
      return sql.rows<ApprovalEvent>(
        `SELECT ${EVENT_FIELDS} FROM ${approvalEvent} e JOIN ${approval} a ON a.id = e.approval_id
          ${filter.page('e.seq', after === null ? null : (last?.seq ?? '0'), limit)}`,
        filter.values,
      );
    });
    return pageOf(rows, limit);
  }

  override async terminals(query: TerminalQuery): Promise<Page<TerminalEntry>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .isId('run_id', query.runId)
      .equals('thread_id', query.threadId)
      .equals('organization_id', query.organizationId)
      .equals('principal_id', query.principalId)
      .between('finished_at', query.from, query.until)
      .equals('status', query.status)
      .equals('agent', query.agent);
    const rows = await this.database.statement('read terminal records', (sql) =>
      sql.rows<TerminalRow>(`SELECT * FROM ${sql.tables.terminal} ${filter.page('id', after, limit)}`, filter.values),
    );
    return pageOf(rows.map(terminalEntry), limit);
  }

  override async timeline(runId: string): Promise<readonly TimelineEntry[]> {
    if (!isUuid(runId)) return [];
    return this.database.statement('read a timeline', (sql) =>
      sql.rows<TimelineEntry>(
        `SELECT at, kind, id, tool_name AS "toolName", status, detail, by FROM ${sql.tables.timelineView}
          WHERE run_id = $1 ORDER BY at, rank, id`,
        [runId],
      ),
    );
  }
}
