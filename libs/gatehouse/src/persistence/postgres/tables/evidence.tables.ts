import { EntitySchema } from 'typeorm';
import { columns, double, flag, instant, integer, key, orNull, text, uuid } from './columns.js';
import type { TablePlace } from './table.place.js';

/** A row of the view `tool_execution`, for repositories of a host. Texts of an erased payload read `[erased]`. */
export interface ExecutionRow {
  readonly id: string;
  readonly kind: string;
  readonly tool_name: string;
  readonly arguments_repr: string;
  readonly duration_ms: number;
  readonly success: boolean;
  readonly error: string | null;
  readonly error_type: string | null;
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
  readonly trace_id: string | null;
  readonly span_id: string | null;
}

/** A row of the view `operation`. `shadowed` is JSON text. */
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
  readonly executed_digest: string | null;
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
  readonly error_type: string | null;
  readonly shadowed: string;
  readonly organization_id: string | null;
  readonly principal_id: string | null;
  readonly parent_operation_id: string | null;
  readonly started_at: Date;
  readonly finished_at: Date;
  readonly duration_ms: number;
  readonly trace_id: string | null;
  readonly span_id: string | null;
}

/** A row of the view `terminal_record`. `failed_operation_ids` is JSON text; counts of tokens are bigints. */
export interface TerminalRow {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly agent: string;
  readonly status: string;
  readonly stage: string | null;
  readonly error: string | null;
  readonly error_type: string | null;
  readonly source: string | null;
  readonly reason: string | null;
  readonly organization_id: string | null;
  readonly principal_id: string | null;
  readonly parent_run_id: string | null;
  readonly parent_operation_id: string | null;
  readonly failed_operation_ids: string;
  readonly requests: number;
  readonly tool_calls: number;
  readonly input_tokens: string;
  readonly output_tokens: string;
  readonly started_at: Date;
  readonly finished_at: Date;
}

/** A row of the view `run_timeline`. `rank` orders what happened in one millisecond. */
export interface TimelineRow {
  readonly id: string;
  readonly run_id: string;
  readonly organization_id: string | null;
  readonly at: Date;
  readonly rank: number;
  readonly kind: string;
  readonly tool_name: string | null;
  readonly status: string | null;
  readonly detail: string | null;
  readonly by: string | null;
}

// Made by the migrations: TypeORM only reads them, and never compares them with anything.
const view = (place: TablePlace, name: string) => ({ ...place(name), type: 'view', synchronize: false }) as const;

export const executionView = (place: TablePlace): EntitySchema<ExecutionRow> =>
  new EntitySchema<ExecutionRow>({
    ...view(place, 'tool_execution'),
    columns: columns<ExecutionRow>({
      id: key('uuid'),
      kind: text,
      tool_name: text,
      arguments_repr: text,
      duration_ms: double,
      success: flag,
      error: orNull(text),
      error_type: orNull(text),
      result_size: orNull(integer),
      organization_id: orNull(text),
      target_type: orNull(text),
      target_id: orNull(text),
      ip_address: orNull(text),
      run_id: uuid,
      thread_id: text,
      operation_id: orNull(uuid),
      principal_id: orNull(text),
      late: flag,
      started_at: instant,
      finished_at: instant,
      trace_id: orNull(text),
      span_id: orNull(text),
    }),
  });

export const operationView = (place: TablePlace): EntitySchema<OperationRow> =>
  new EntitySchema<OperationRow>({
    ...view(place, 'operation'),
    columns: columns<OperationRow>({
      id: key('uuid'),
      run_id: uuid,
      thread_id: text,
      step: integer,
      position: integer,
      kind: text,
      tool_name: text,
      tool_call_id: text,
      arguments_repr: text,
      arguments_digest: orNull(text),
      executed_digest: orNull(text),
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
      error_type: orNull(text),
      shadowed: text,
      organization_id: orNull(text),
      principal_id: orNull(text),
      parent_operation_id: orNull(uuid),
      started_at: instant,
      finished_at: instant,
      duration_ms: double,
      trace_id: orNull(text),
      span_id: orNull(text),
    }),
  });

export const terminalView = (place: TablePlace): EntitySchema<TerminalRow> =>
  new EntitySchema<TerminalRow>({
    ...view(place, 'terminal_record'),
    columns: columns<TerminalRow>({
      id: key('uuid'),
      run_id: uuid,
      thread_id: text,
      agent: text,
      status: text,
      stage: orNull(text),
      error: orNull(text),
      error_type: orNull(text),
      source: orNull(text),
      reason: orNull(text),
      organization_id: orNull(text),
      principal_id: orNull(text),
      parent_run_id: orNull(uuid),
      parent_operation_id: orNull(uuid),
      failed_operation_ids: text,
      requests: integer,
      tool_calls: integer,
      input_tokens: { type: 'bigint' },
      output_tokens: { type: 'bigint' },
      started_at: instant,
      finished_at: instant,
    }),
  });

export const timelineView = (place: TablePlace): EntitySchema<TimelineRow> =>
  new EntitySchema<TimelineRow>({
    ...view(place, 'run_timeline'),
    columns: columns<TimelineRow>({
      id: key('uuid'),
      run_id: uuid,
      organization_id: orNull(text),
      at: instant,
      rank: integer,
      kind: text,
      tool_name: orNull(text),
      status: orNull(text),
      detail: orNull(text),
      by: orNull(text),
    }),
  });
