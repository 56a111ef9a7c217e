import type { LedgerRecord } from '../../contracts/ledger.js';

/** How a sealed column is stored, and so encoded. */
export type LedgerType = 'uuid' | 'text' | 'timestamptz' | 'integer' | 'bigint' | 'boolean' | 'bytea';

/** One sealed column of `audit_log`. */
export interface LedgerColumn {
  /** Its number in the encoding of a leaf, for ever. */
  readonly tag: number;
  readonly name: string;
  readonly type: LedgerType;
  readonly field: keyof LedgerRecord | 'payloadCommitment';
}

const TYPES: { readonly [Field in LedgerColumn['field']]-?: LedgerType } = {
  id: 'uuid',
  kind: 'text',
  at: 'timestamptz',
  startedAt: 'timestamptz',
  organizationId: 'text',
  principalId: 'text',
  runId: 'uuid',
  threadId: 'text',
  parentRunId: 'uuid',
  operationId: 'uuid',
  parentOperationId: 'uuid',
  approvalId: 'uuid',
  blockedByOperationId: 'uuid',
  redirectedFromOperationId: 'uuid',
  step: 'integer',
  position: 'integer',
  agent: 'text',
  toolName: 'text',
  toolCallId: 'text',
  callKind: 'text',
  status: 'text',
  outcome: 'text',
  stage: 'text',
  source: 'text',
  decidedBy: 'text',
  executionStarted: 'boolean',
  late: 'boolean',
  argumentsDigest: 'text',
  executedDigest: 'text',
  errorType: 'text',
  targetType: 'text',
  targetId: 'text',
  durationUs: 'bigint',
  resultSize: 'integer',
  requests: 'integer',
  toolCalls: 'integer',
  inputTokens: 'bigint',
  outputTokens: 'bigint',
  amount: 'bigint',
  reference: 'text',
  traceId: 'text',
  spanId: 'text',
  payloadCommitment: 'bytea',
};

/**
 * The sealed columns in the order of their tags. A new column takes the next tag, at the end: as an absent value is not encoded, the leaves of
 * older records stay what they are. Never change or reuse a tag.
 */
export const LEDGER_COLUMNS: readonly LedgerColumn[] = Object.freeze(
  (Object.entries(TYPES) as [LedgerColumn['field'], LedgerType][]).map(([field, type], at) =>
    Object.freeze({ tag: at + 1, name: snakeCase(field), type, field }),
  ),
);

/** `toolName` as a column: `tool_name`. */
export function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
