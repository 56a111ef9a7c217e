import type { DroppedMonth, StoredMonth } from '../../../contracts/ports/evidence.keeping.js';
import type { Sql } from '../sql.js';

interface MonthRow {
  readonly month: string;
  readonly until: Date;
}

/** The months that have a partition, oldest first. */
export async function readMonths(sql: Sql, schema: string): Promise<StoredMonth[]> {
  const rows = await sql.rows<MonthRow>(
    `SELECT right(c.relname, 6) AS month,
        ((to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') AT TIME ZONE 'UTC')::timestamptz(3) AS until
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = $1::regclass AND c.relname ~ '^audit_log_[0-9]{6}$' ORDER BY 1`,
    [`${schema}.audit_log`],
  );
  const months: StoredMonth[] = [];
  for (const { month, until } of rows) months.push({ month, until, ...(await contents(sql, schema, month)) });
  return months;
}

async function contents(sql: Sql, schema: string, month: string): Promise<Omit<StoredMonth, 'month' | 'until'>> {
  const partition = `"${schema}".audit_log_${month}`;
  const row = await sql.row<{ records: string; newest: Date | null; unsealed: string }>(
    `SELECT count(*) AS records, max(at) AS newest,
        (SELECT count(*) FROM (SELECT DISTINCT writer_id, seq FROM ${partition}) b
          WHERE NOT EXISTS (SELECT FROM ${sql.tables.leaf} l WHERE l.writer_id = b.writer_id AND l.seq = b.seq)) AS unsealed
      FROM ${partition}`,
  );
  return {
    records: Number(row?.records ?? 0),
    newest: row?.newest ?? undefined,
    unsealed: Number(row?.unsealed ?? 0),
  };
}

/** What records of one month say of months that went. */
export async function readDropped(sql: Sql, schema: string, month: string): Promise<DroppedMonth[]> {
  const rows = await sql.rows<{
    reference: string;
    amount: string | null;
    principal_id: string | null;
    detail: string | null;
  }>(
    `SELECT l.reference, l.amount, l.principal_id, convert_from(p.body, 'UTF8')::json ->> 'detail' AS detail
      FROM "${schema}".audit_log_${month} l LEFT JOIN ${sql.tables.payload} p ON p.id = l.id
      WHERE l.kind = 'retention' AND l.status = 'dropped' AND l.reference IS NOT NULL ORDER BY l.id`,
  );
  return rows.map(({ reference, amount, principal_id, detail }) => ({
    month: reference,
    records: amount === null ? null : Number(amount),
    by: principal_id,
    detail,
  }));
}
