import type { LedgerKind, StoredEntry } from '../../../contracts/ledger.js';
import type { Filter } from '../filter.js';
import type { Sql } from '../sql.js';
import { recordColumns, storedEntry, type EntryRow } from './ledger.rows.js';

/**
 * One page of records of some kinds, newest first: from the log, and from the facts that are still on their way there. Both are read in one
 * statement, so one that moves meanwhile is seen once. Payloads are looked up for the records of the page alone.
 */
export async function readPage(
  sql: Sql,
  kinds: readonly LedgerKind[],
  filter: Filter,
  after: string | null,
  limit: number,
): Promise<StoredEntry[]> {
  const page = filter.equalsAny('l.kind', kinds).page('l.id', after, limit);
  const rows = await sql.rows<EntryRow>(
    `SELECT ${recordColumns('l')}, coalesce(l.payload, convert_from(p.body, 'UTF8')) AS body, l.bound, l.sealed FROM (
        (SELECT ${recordColumns('l')}, NULL::text AS payload, l.payload_commitment IS NOT NULL AS bound, true AS sealed FROM ${sql.tables.log} l ${page})
        UNION ALL
        (SELECT ${recordColumns('l')}, l.payload, l.payload IS NOT NULL, false FROM ${sql.tables.outbox} l ${page})
      ) l LEFT JOIN ${sql.tables.payload} p ON p.id = l.id AND l.sealed ORDER BY l.id DESC, l.sealed DESC`,
    filter.values,
  );
  return once(rows)
    .slice(0, limit + 1)
    .map(storedEntry);
}

/** Everything that was recorded of a run, in no order. */
export async function readRun(sql: Sql, runId: string): Promise<StoredEntry[]> {
  const rows = await sql.rows<EntryRow>(
    `SELECT ${recordColumns('l')}, convert_from(p.body, 'UTF8') AS body, l.payload_commitment IS NOT NULL AS bound, true AS sealed
        FROM ${sql.tables.log} l LEFT JOIN ${sql.tables.payload} p ON p.id = l.id WHERE l.run_id = $1
      UNION ALL
      SELECT ${recordColumns('l')}, l.payload, l.payload IS NOT NULL, false FROM ${sql.tables.outbox} l WHERE l.run_id = $1 ORDER BY id DESC, sealed DESC`,
    [runId],
  );
  return once(rows).map(storedEntry);
}

// A transaction that was made again may have left a fact once more that is in the log by now: the sealed one stands, and comes first.
const once = (rows: readonly EntryRow[]): readonly EntryRow[] =>
  rows.filter((row, at) => at === 0 || rows[at - 1]?.['id'] !== row['id']);
