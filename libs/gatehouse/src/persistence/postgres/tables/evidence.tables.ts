import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import { columns, double, flag, instant, integer, key, orNull, text, uuid } from './columns.js';
import type { TablePlace } from './table.place.js';

/** A row of `tool_execution`, for repositories of a host; the stores read it as an `AuditEvent`. */
export interface ExecutionRow {
  readonly id: string;
  readonly kind: string;
  readonly tool_name: string;
  readonly arguments_repr: string;
  readonly duration_ms: number;
  readonly success: boolean;
  readonly error: string | null;
  readonly result_size: number | null;
  readonly organization_id: string | null;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly ip_address: string | null;
  readonly run_id: string;
  readonly thread_id: string;
  readonly operation_id: string | null;
  readonly principal_id: string | null;
  readonly late: boolean;
  readonly started_at: Date;
  readonly finished_at: Date;
}

/** A row of `operation`. `shadowed` is JSON text. */
export interface OperationRow {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly step: number;
  readonly position: number;
  readonly kind: string;
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly arguments_repr: string;
  readonly arguments_digest: string | null;
  readonly status: string;
  readonly outcome: string;
  readonly execution_started: boolean;
  readonly decided_by: string | null;
  readonly reason: string | null;
  readonly guidance: string | null;
  readonly blocked_by_operation_id: string | null;
  readonly redirected_from_operation_id: string | null;
  readonly approval_id: string | null;
  readonly error: string | null;
  readonly shadowed: string;
  readonly organization_id: string | null;
  readonly principal_id: string | null;
  readonly parent_operation_id: string | null;
  readonly started_at: Date;
  readonly finished_at: Date;
  readonly duration_ms: number;
}

/** A row of `terminal_record`. */
export interface TerminalRow {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly agent: string;
  readonly status: string;
  readonly stage: string | null;
  readonly error: string | null;
  readonly source: string | null;
  readonly reason: string | null;
  readonly organization_id: string | null;
  readonly principal_id: string | null;
  readonly parent_run_id: string | null;
  readonly parent_operation_id: string | null;
  readonly failed_operation_ids: readonly string[];
  readonly requests: number;
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly started_at: Date;
  readonly finished_at: Date;
}

export const executionTable = (place: TablePlace): EntitySchema<ExecutionRow> =>
  new EntitySchema<ExecutionRow>({
    ...place('tool_execution'),
    columns: columns<ExecutionRow>({
      id: key('uuid'),
      kind: text,
      tool_name: text,
      arguments_repr: text,
      duration_ms: double,
      success: flag,
      error: orNull(text),
      result_size: orNull(integer),
      target_type: orNull(text),
      target_id: orNull(text),
      ip_address: orNull(text),
      thread_id: text,
      operation_id: orNull(uuid),
      late: flag,
      ...ofRecord,
    }),
    indices: [
      { name: 'tool_execution_run', columns: ['run_id', 'id'] },
      { name: 'tool_execution_organization', columns: ['organization_id', 'id'] },
      { name: 'tool_execution_principal', columns: ['principal_id', 'id'] },
    ],
  });

export const operationTable = (place: TablePlace): EntitySchema<OperationRow> =>
  new EntitySchema<OperationRow>({
    ...place('operation'),
    columns: columns<OperationRow>({
      id: key('uuid'),
      thread_id: text,
      step: integer,
      position: integer,
      kind: text,
      tool_name: text,
      tool_call_id: text,
      arguments_repr: text,
      arguments_digest: orNull(text),
      status: text,
      outcome: text,
      execution_started: flag,
      decided_by: orNull(text),
      reason: orNull(text),
      guidance: orNull(text),
      blocked_by_operation_id: orNull(uuid),
      redirected_from_operation_id: orNull(uuid),
      approval_id: orNull(uuid),
      error: orNull(text),
      shadowed: text,
      parent_operation_id: orNull(uuid),
      duration_ms: double,
      ...ofRecord,
    }),
    indices: [
      { name: 'operation_run', columns: ['run_id', 'id'] },
      { name: 'operation_organization', columns: ['organization_id', 'id'] },
      { name: 'operation_principal', columns: ['principal_id', 'id'] },
    ],
  });

export const terminalTable = (place: TablePlace): EntitySchema<TerminalRow> =>
  new EntitySchema<TerminalRow>({
    ...place('terminal_record'),
    columns: columns<TerminalRow>({
      id: key('uuid'),
      thread_id: text,
      agent: text,
      status: text,
      stage: orNull(text),
      error: orNull(text),
      source: orNull(text),
      reason: orNull(text),
      parent_run_id: orNull(uuid),
      parent_operation_id: orNull(uuid),
      failed_operation_ids: { type: 'uuid', array: true },
      requests: integer,
      tool_calls: integer,
      input_tokens: double,
      output_tokens: double,
      ...ofRecord,
    }),
    indices: [
      { name: 'terminal_record_run', columns: ['run_id'], unique: true },
      { name: 'terminal_record_organization', columns: ['organization_id', 'id'] },
    ],
  });

const ofRecord: Readonly<
  Record<'run_id' | 'organization_id' | 'principal_id' | 'started_at' | 'finished_at', EntitySchemaColumnOptions>
> = {
  run_id: uuid,
  organization_id: orNull(text),
  principal_id: orNull(text),
  started_at: instant,
  finished_at: instant,
};
