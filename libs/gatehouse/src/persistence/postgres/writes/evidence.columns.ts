import { isDate } from 'node:util/types';
import type { AuditEvent } from '../../../contracts/audit.event.js';
import type { OperationRecord } from '../../../contracts/operation.record.js';
import type { BulkColumn } from './bulk.insert.js';

type TypedFields<T> = { readonly [K in keyof T]-?: string };

/** How an `AuditEvent` stands in its table: column types by field; columns are the fields in snake case. */
const EXECUTION: TypedFields<AuditEvent> = {
  id: 'uuid',
  kind: 'text',
  toolName: 'text',
  argumentsRepr: 'text',
  durationMs: 'double precision',
  success: 'boolean',
  error: 'text',
  resultSize: 'integer',
  organizationId: 'text',
  targetType: 'text',
  targetId: 'text',
  ipAddress: 'text',
  runId: 'uuid',
  threadId: 'text',
  operationId: 'uuid',
  principalId: 'text',
  late: 'boolean',
  startedAt: 'timestamptz',
  finishedAt: 'timestamptz',
};

const OPERATION: TypedFields<OperationRecord> = {
  id: 'uuid',
  runId: 'uuid',
  threadId: 'text',
  step: 'integer',
  position: 'integer',
  kind: 'text',
  toolName: 'text',
  toolCallId: 'text',
  argumentsRepr: 'text',
  argumentsDigest: 'text',
  status: 'text',
  outcome: 'text',
  executionStarted: 'boolean',
  decidedBy: 'text',
  reason: 'text',
  guidance: 'text',
  blockedByOperationId: 'uuid',
  redirectedFromOperationId: 'uuid',
  approvalId: 'uuid',
  error: 'text',
  shadowed: 'text',
  organizationId: 'text',
  principalId: 'text',
  parentOperationId: 'uuid',
  startedAt: 'timestamptz',
  finishedAt: 'timestamptz',
  durationMs: 'double precision',
};

export const EXECUTION_COLUMNS = columnsOf<AuditEvent>(EXECUTION);
export const OPERATION_COLUMNS = columnsOf<OperationRecord>(OPERATION);

/** `tool_name AS "toolName", …`: rows read with it are records again, but for JSON text. */
export const EXECUTION_FIELDS = selectList(EXECUTION);
export const OPERATION_FIELDS = selectList(OPERATION);

/** The column of a record's field. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function columnsOf<T extends object>(types: TypedFields<T>): readonly BulkColumn<T>[] {
  return Object.entries<string>(types).map(([field, type]) => ({
    name: columnName(field),
    type,
    read: (record) => stored(Reflect.get(record, field)),
  }));
}

function selectList(types: Readonly<Record<string, string>>): string {
  return Object.keys(types)
    .map((field) => `${columnName(field)} AS "${field}"`)
    .join(', ');
}

// Lists are JSON text. A date that is none goes as text too: the database refuses that record alone, the driver would refuse the batch.
function stored(value: unknown): unknown {
  if (Array.isArray(value)) return JSON.stringify(value);
  if (!isDate(value)) return value;
  return Number.isNaN(value.getTime()) ? 'no instant' : value.toISOString();
}
