import type { LedgerEntry } from '../../../contracts/ledger.js';
import type { PreparedEntry } from '../../../values/ledger/batch.preparation.js';
import { leafData } from '../../../values/ledger/leaf.data.js';
import type { TableNames } from '../table.names.js';
import { recordColumns, storedEntry, type EntryRow } from './ledger.rows.js';
import type { LedgerSession } from './ledger.session.js';

/** Records apart from those whose ids are in the log already. */
export interface Sorted {
  /** Each once. */
  readonly fresh: readonly PreparedEntry[];
  /** The log has something else under their ids. */
  readonly conflicts: readonly LedgerEntry[];
}

/** Looks up which of these the log has, and whether it has the same. */
export async function sortOut(
  session: LedgerSession,
  { log, payload }: TableNames,
  entries: readonly PreparedEntry[],
): Promise<Sorted> {
  const rows = await session.rows<EntryRow & { readonly id: string }>(
    `SELECT ${recordColumns('l')}, convert_from(p.body, 'UTF8') AS body, l.payload_commitment IS NOT NULL AS bound, true AS sealed
      FROM ${log} l LEFT JOIN ${payload} p ON p.id = l.id WHERE l.id = ANY($1::uuid[])`,
    [entries.map(({ entry }) => entry.record.id)],
  );
  const there = new Map(rows.map((row) => [row.id, fingerprint(storedEntry(row))]));
  const fresh: PreparedEntry[] = [];
  const conflicts: LedgerEntry[] = [];
  for (const prepared of entries) {
    const { entry } = prepared;
    const known = there.get(entry.record.id);
    if (known === undefined) {
      there.set(entry.record.id, fingerprint(entry));
      fresh.push(prepared);
    } else if (!isSame(known, fingerprint(entry))) conflicts.push(entry);
  }
  return { fresh, conflicts };
}

/** What two records are compared by; of an erased payload nothing is left to compare. */
interface Fingerprint {
  readonly record: string;
  readonly payload: string | undefined;
}

const fingerprint = ({
  record,
  payload,
  erased = false,
}: LedgerEntry & { readonly erased?: boolean }): Fingerprint => ({
  record: leafData(record, null).toString('latin1'),
  payload: erased ? undefined : JSON.stringify(payload),
});

const isSame = (one: Fingerprint, other: Fingerprint): boolean =>
  one.record === other.record &&
  (one.payload === undefined || other.payload === undefined || one.payload === other.payload);
