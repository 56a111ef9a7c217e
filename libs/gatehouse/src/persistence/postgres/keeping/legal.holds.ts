import type { LegalHold, NewLegalHold } from '../../../contracts/legal.hold.js';
import type { ErasureSubject } from '../../../contracts/ports/evidence.keeping.js';
import { newId } from '../../../values/ids.js';
import { ledgerName } from '../../../values/ledger/ledger.name.js';
import { sanitizeText } from '../../../values/sanitizer.js';
import { visibleText } from '../../../values/visible-text.js';
import { present } from '../rows/json.text.js';
import type { Sql } from '../sql.js';
import { inMonth } from './month.bounds.js';

interface HoldRow {
  readonly id: string;
  readonly organization_id: string | null;
  readonly run_id: string | null;
  readonly principal_id: string | null;
  readonly from_at: Date | null;
  readonly until_at: Date | null;
  readonly reason: string;
  readonly placed_by: string;
  readonly placed_at: Date;
  readonly released_by: string | null;
  readonly released_at: Date | null;
}

const holdOf = (row: HoldRow): LegalHold => ({
  id: row.id,
  reason: row.reason,
  placedBy: row.placed_by,
  placedAt: row.placed_at,
  ...present({
    organizationId: row.organization_id,
    runId: row.run_id,
    principalId: row.principal_id,
    from: row.from_at,
    until: row.until_at,
    releasedBy: row.released_by,
    releasedAt: row.released_at,
  }),
});

const named = (name: string | undefined): string | null => (name === undefined ? null : ledgerName(name));

export async function placeHold(sql: Sql, hold: NewLegalHold): Promise<LegalHold> {
  const row = await sql.row<HoldRow>(
    `INSERT INTO ${sql.tables.hold} (id, organization_id, run_id, principal_id, from_at, until_at, reason, placed_by)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *`,
    [
      newId(),
      named(hold.organizationId),
      hold.runId,
      named(hold.principalId),
      hold.from,
      hold.until,
      sanitizeText(hold.reason),
      ledgerName(hold.by),
    ],
  );
  if (row === undefined) throw new RangeError('A hold was not returned.');
  return holdOf(row);
}

export async function releaseHold(sql: Sql, id: string, by: string): Promise<LegalHold | undefined> {
  const row = await sql.row<HoldRow>(
    `UPDATE ${sql.tables.hold} SET released_by = $2, released_at = clock_timestamp() WHERE id = $1 AND released_at IS NULL RETURNING *`,
    [id, ledgerName(by)],
  );
  return row === undefined ? undefined : holdOf(row);
}

export async function readHolds(sql: Sql): Promise<LegalHold[]> {
  return (await sql.rows<HoldRow>(`SELECT * FROM ${sql.tables.hold} ORDER BY id`)).map(holdOf);
}

// A hold's narrowings, against a record (alias l); absent ones hold everything.
const HOLDS = `(h.organization_id IS NULL OR h.organization_id = l.organization_id) AND (h.run_id IS NULL OR h.run_id = l.run_id)
  AND (h.principal_id IS NULL OR h.principal_id = l.principal_id)
  AND (h.from_at IS NULL OR l.at >= h.from_at) AND (h.until_at IS NULL OR l.at < h.until_at)`;

/** Holds that stand and have something to hold among these records. */
async function holdsOn(sql: Sql, records: string, values: readonly unknown[]): Promise<LegalHold[]> {
  const rows = await sql.rows<HoldRow>(
    `SELECT h.* FROM ${sql.tables.hold} h WHERE h.released_at IS NULL AND EXISTS (SELECT FROM ${records} AND ${HOLDS}) ORDER BY h.id`,
    values,
  );
  return rows.map(holdOf);
}

export const holdsOnMonth = (sql: Sql, month: string): Promise<LegalHold[]> =>
  holdsOn(sql, `${sql.tables.log} l WHERE ${inMonth('l.id', month)}`, []);

export const holdsOnSubject = (sql: Sql, subject: ErasureSubject): Promise<LegalHold[]> =>
  'runId' in subject
    ? holdsOn(sql, `${sql.tables.log} l WHERE l.run_id = $1`, [subject.runId])
    : holdsOn(
        sql,
        `${sql.tables.log} l WHERE (l.principal_id = $1 OR l.run_id IN (SELECT id FROM ${sql.tables.run} WHERE principal_id = $2))`,
        // Working state keeps names as they are, whatever their length.
        [ledgerName(subject.principalId), visibleText(subject.principalId)],
      );
