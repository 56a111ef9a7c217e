import type { LedgerEntry } from '../../contracts/ledger.js';
import { isUuid, newId } from '../ids.js';
import { sanitizeText } from '../sanitizer.js';
import { ledgerName } from './ledger.name.js';

/**
 * Why records are missing: the database refused one, its id was taken, they found no room, or the process ended before the database took
 * them.
 */
export type GapStatus = 'refused' | 'conflict' | 'overflow' | 'unavailable';

/** Why a record with an id that is taken is not stored. */
export const TAKEN = 'Its id is taken by a record that says something else.';

/** Records that are missing, in a row. */
export interface Gap {
  readonly status: GapStatus;
  readonly amount: number;
  readonly firstId: string;
  readonly lastId: string;
  readonly since: Date;
  readonly reason: string;
}

/** Says in the log that records are missing: how many, from which to which. */
export function gapEntry({ status, amount, firstId, lastId, since, reason }: Gap, at: Date): LedgerEntry {
  const reference = ledgerName(amount === 1 ? firstId : `${firstId}..${lastId}`);
  return {
    record: { id: newId(), kind: 'gap', at, startedAt: since, status, amount, reference },
    payload: { reason: sanitizeText(reason) },
  };
}

/**
 * Stands for one record that the log could not take: whose it was stays, what it said is kept as text, erasable like every payload.
 *
 * @param bare leaves out everything that may be what was refused
 */
export function refusedEntry(
  { record, payload }: LedgerEntry,
  status: 'refused' | 'conflict',
  reason: string,
  at: Date,
  bare = false,
): LedgerEntry {
  const { id, kind } = record;
  const gap = gapEntry({ status, amount: 1, firstId: id, lastId: id, since: at, reason }, at);
  if (bare) return gap;
  const named = (name: unknown): string | null => (typeof name === 'string' ? ledgerName(name) : null);
  const uuid = (given: string | null | undefined): string | null =>
    typeof given === 'string' && isUuid(given) ? given : null;
  return {
    record: {
      ...gap.record,
      organizationId: named(record.organizationId),
      principalId: named(record.principalId),
      runId: uuid(record.runId),
      threadId: named(record.threadId),
      operationId: uuid(record.operationId),
      approvalId: uuid(record.approvalId),
      toolName: named(record.toolName),
      outcome: kind,
    },
    payload: { ...gap.payload, detail: sanitizeText(JSON.stringify({ record, payload })) },
  };
}
