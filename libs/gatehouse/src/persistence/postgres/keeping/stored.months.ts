import type { DroppedMonth, RecordedErasure, StoredMonth } from '../../../contracts/ports/evidence.keeping.js';
import type { Sql } from '../sql.js';
import { inMonth } from './month.bounds.js';

interface MonthRow {
  readonly month: string;
  readonly until: Date;
}

/** The months that have a partition, oldest first. */
export async function readMonths(sql: Sql, schema: string): Promise<StoredMonth[]> {
  const months: StoredMonth[] = [];
  for (const row of await partitions(sql, schema)) months.push({ ...row, ...(await contents(sql, row.month)) });
  return months;
}

/** One of them; nothing where it has no partition. */
export async function readMonth(sql: Sql, schema: string, month: string): Promise<StoredMonth | undefined> {
  const row = (await partitions(sql, schema)).find((one) => one.month === month);
  return row === undefined ? undefined : { ...row, ...(await contents(sql, month)) };
}

const partitions = (sql: Sql, schema: string): Promise<MonthRow[]> =>
  sql.rows<MonthRow>(
    `SELECT right(c.relname, 6) AS month,
        ((to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') AT TIME ZONE 'UTC')::timestamptz(3) AS until
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = $1::regclass AND c.relname ~ '^audit_log_[0-9]{6}$' ORDER BY 1`,
    [`${schema}.audit_log`],
  );

async function contents(sql: Sql, month: string): Promise<Omit<StoredMonth, 'month' | 'until'>> {
  const records = `${sql.tables.log} r WHERE ${inMonth('r.id', month)}`;
  const row = await sql.row<{ records: string; newest: Date | null; unsealed: string }>(
    `SELECT count(*) AS records, max(at) AS newest,
        (SELECT count(*) FROM (SELECT DISTINCT writer_id, seq FROM ${records}) b
          WHERE NOT EXISTS (SELECT FROM ${sql.tables.leaf} l WHERE l.writer_id = b.writer_id AND l.seq = b.seq)) AS unsealed
      FROM ${records}`,
  );
  return {
    records: Number(row?.records ?? 0),
    newest: row?.newest ?? undefined,
    unsealed: Number(row?.unsealed ?? 0),
  };
}

/** Records (alias l) of one month, with what is kept of their payloads (alias p). */
const withPayloads = (sql: Sql, month: string): string =>
  `${sql.tables.log} l LEFT JOIN ${sql.tables.payload} p ON p.id = l.id AND ${inMonth('p.id', month)} WHERE ${inMonth('l.id', month)}`;

const text = (field: string): string => `convert_from(p.body, 'UTF8')::json ->> '${field}'`;

const count = (amount: string | null): number | null => (amount === null ? null : Number(amount));

/** What records of one month say of months that went; not of those that were kept after all. */
export async function readDropped(sql: Sql, month: string): Promise<DroppedMonth[]> {
  const rows = await sql.rows<{
    reference: string;
    amount: string | null;
    principal_id: string | null;
    detail: string | null;
  }>(
    `SELECT l.reference, l.amount, l.principal_id, ${text('detail')} AS detail
      FROM ${withPayloads(sql, month)} AND l.kind = 'retention' AND l.status = 'dropped' AND l.reference IS NOT NULL AND NOT EXISTS (
        SELECT FROM ${sql.tables.log} k WHERE k.kind = 'retention' AND k.status = 'kept' AND k.reference = l.reference AND k.id > l.id)
      ORDER BY l.id`,
  );
  return rows.map(({ reference, amount, principal_id, detail }) => ({
    month: reference,
    records: count(amount),
    by: principal_id,
    detail,
  }));
}

/** The newest erasure of each subject that records of one month tell of. */
export async function readErased(sql: Sql, month: string): Promise<RecordedErasure[]> {
  const rows = await sql.rows<{
    at: Date;
    principal_id: string | null;
    run_id: string | null;
    amount: string | null;
    reference: string | null;
    reason: string | null;
  }>(
    `SELECT DISTINCT ON (l.principal_id, l.run_id) l.at, l.principal_id, l.run_id, l.amount, l.reference, ${text('reason')} AS reason
      FROM ${withPayloads(sql, month)} AND l.kind = 'erased' ORDER BY l.principal_id, l.run_id, l.at DESC`,
  );
  return rows.map(({ at, principal_id, run_id, amount, reference, reason }) => ({
    at,
    principalId: principal_id,
    runId: run_id,
    amount: count(amount),
    by: reference,
    reason,
  }));
}
