import type { LedgerEntry } from '../../libs/gatehouse/src/contracts/ledger.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { LEDGER_COLUMNS } from '../../libs/gatehouse/src/values/ledger/ledger.columns.js';

const run = { run: newId(), thread: 'thread-1f0c', organization: 'acme', principal: 'ann@acme.example' };

/** What an executed tool leaves: about 600 bytes as a row with its share of the indexes. */
export function executed(): LedgerEntry {
  const at = new Date();
  return {
    record: {
      id: newId(),
      kind: 'tool.executed',
      at,
      startedAt: at,
      organizationId: run.organization,
      principalId: run.principal,
      runId: run.run,
      threadId: run.thread,
      operationId: newId(),
      toolName: 'lookup_order',
      status: 'success',
      late: false,
      targetType: 'order',
      targetId: '1001',
      durationUs: 12_345,
      resultSize: 321,
    },
    payload: null,
  };
}

const ARGUMENTS = JSON.stringify({ order: 1001, note: 'x'.repeat(250) });
const RESULT = JSON.stringify({ status: 'shipped', carrier: 'y'.repeat(250) });

/** The same with what it was given and what it gave. */
export const withBodies = (): LedgerEntry => ({ ...executed(), payload: { arguments: ARGUMENTS, result: RESULT } });

/** The record as a row of columns. */
export function rowOf({ record }: LedgerEntry): Record<string, unknown> {
  return Object.fromEntries(
    LEDGER_COLUMNS.map(({ name, field }) => [name, field === 'payloadCommitment' ? null : (record[field] ?? null)]),
  );
}
