import type { AuditEvent } from '../../../contracts/audit.event.js';
import type { OperationRecord } from '../../../contracts/operation.record.js';
import type { TerminalRecord } from '../../../contracts/terminal.record.js';
import { storableExecution, storableOperation, storableTerminal } from '../../storable/storable.evidence.js';
import type { Sql } from '../sql.js';
import { bulkInsert } from './bulk.insert.js';
import { EXECUTION_COLUMNS, OPERATION_COLUMNS } from './evidence.columns.js';

/** Appends executions; those already there stay as they are. */
export async function writeExecutions(sql: Sql, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { text, values } = bulkInsert(sql.tables.execution, EXECUTION_COLUMNS, events.map(storableExecution));
  await sql.run(text, values);
}

/** Appends operation records; those already there stay as they are. */
export async function writeOperations(sql: Sql, records: readonly OperationRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { text, values } = bulkInsert(sql.tables.operation, OPERATION_COLUMNS, records.map(storableOperation));
  await sql.run(text, values);
}

/** Appends the one terminal record of a run. */
export async function writeTerminal(sql: Sql, record: TerminalRecord): Promise<void> {
  const entry = storableTerminal(record);
  await sql.run(
    `INSERT INTO ${sql.tables.terminal} (id, run_id, thread_id, agent, status, stage, error, source, reason, organization_id, principal_id,
        parent_run_id, parent_operation_id, failed_operation_ids, requests, tool_calls, input_tokens, output_tokens, started_at, finished_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
    [
      entry.id,
      entry.runId,
      entry.threadId,
      entry.agent,
      entry.status,
      entry.stage,
      entry.error,
      entry.source,
      entry.reason,
      entry.organizationId,
      entry.principalId,
      entry.parentRunId,
      entry.parentOperationId,
      entry.failedOperationIds,
      entry.usage.requests,
      entry.usage.toolCalls,
      entry.usage.inputTokens,
      entry.usage.outputTokens,
      entry.startedAt,
      entry.finishedAt,
    ],
  );
}
