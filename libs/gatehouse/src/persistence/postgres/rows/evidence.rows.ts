import type { ShadowedDecision } from '../../../contracts/operation.js';
import type { OperationRecord } from '../../../contracts/operation.record.js';
import type { TerminalEntry } from '../../../contracts/ports/evidence.store.js';
import type { RunStage, TerminalStatus } from '../../../contracts/statuses.js';
import type { TerminalRow } from '../tables/evidence.tables.js';
import { parsed } from './json.text.js';

/** An operation as its select list gives it: a record whose list is still text. */
export type OperationFields = Omit<OperationRecord, 'shadowed'> & { readonly shadowed: string };

export function operationRecord(fields: OperationFields): OperationRecord {
  return { ...fields, shadowed: parsed<ShadowedDecision[]>(fields.shadowed) };
}

export function terminalEntry(row: TerminalRow): TerminalEntry {
  return {
    id: row.id,
    runId: row.run_id,
    threadId: row.thread_id,
    agent: row.agent,
    status: row.status as TerminalStatus,
    stage: row.stage as RunStage | null,
    error: row.error,
    source: row.source,
    reason: row.reason,
    organizationId: row.organization_id,
    principalId: row.principal_id,
    parentRunId: row.parent_run_id,
    parentOperationId: row.parent_operation_id,
    failedOperationIds: row.failed_operation_ids,
    usage: {
      requests: row.requests,
      toolCalls: row.tool_calls,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
    },
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
