import { escapeIdentifier, type Client } from 'pg';
import type { LogMonth } from '../../../../contracts/ports/ledger.reader.js';
import { boundsOf, monthStart } from '../../../../values/ledger/log.month.js';
import type { TableNames } from '../../table.names.js';
import type { MonthTables } from './payload.query.js';

/** The partitions of a table: those that are named for a month, and others, which none of ours are. */
interface Partitions {
  readonly named: ReadonlyMap<LogMonth, string>;
  readonly odd: readonly string[];
}

// The time in a uuid v7 is its first 48 bits.
const monthOfId = (id: string): string =>
  `to_char(to_timestamp(('x0000' || left(replace(${id}::text, '-', ''), 12))::bit(64)::bigint / 1000.0) AT TIME ZONE 'UTC', 'YYYYMM')`;

/** Which months the log has, and in which tables they lie. */
export class LedgerMonths {
  private known: { readonly log: Partitions; readonly payload: Partitions } | undefined;

  constructor(
    private readonly client: Client,
    private readonly tables: TableNames,
  ) {}

  async months(): Promise<readonly LogMonth[]> {
    const { named, odd } = (await this.read()).log;
    const months = new Set(named.keys());
    for (const table of odd) {
      const { rows } = await this.client.query<{ month: string }>(
        `SELECT DISTINCT ${monthOfId('id')} AS month FROM ${table}`,
      );
      for (const { month } of rows) months.add(month);
    }
    return [...months].sort();
  }

  async tablesOf(month: LogMonth): Promise<MonthTables> {
    const { log, payload } = await this.read();
    const { low, high } = boundsOf(month);
    const named = log.named.get(month);
    const others = log.odd.map((table) => `SELECT * FROM ${table} WHERE id >= '${low}' AND id < '${high}'`);
    if (named !== undefined && others.length === 0) return { log: named, payload: payload.named.get(month) };
    const first = named === undefined ? `SELECT * FROM ${this.tables.log} WHERE false` : `SELECT * FROM ${named}`;
    return { log: `(${[first, ...others].join(' UNION ALL ')})`, payload: payload.named.get(month) };
  }

  async batchMonths(): Promise<readonly { readonly month: LogMonth; readonly records: number }[]> {
    const { rows } = await this.client.query<{ month: string; records: string }>(
      `SELECT ${monthOfId('first_id')} AS month, sum(count) AS records FROM ${this.tables.batch} GROUP BY 1 ORDER BY 1`,
    );
    return rows.map(({ month, records }) => ({ month, records: Number(records) }));
  }

  private async read() {
    return (this.known ??= {
      log: await this.partitionsOf(this.tables.log),
      payload: await this.partitionsOf(this.tables.payload),
    });
  }

  private async partitionsOf(parent: string): Promise<Partitions> {
    const { rows } = await this.client.query<{ schema: string; name: string }>(
      `SELECT n.nspname AS schema, c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`,
      [parent],
    );
    const named = new Map<LogMonth, string>();
    const odd: string[] = [];
    for (const { schema, name } of rows) {
      const table = `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;
      const month = /_(\d{6})$/.exec(name)?.[1] ?? '';
      if (monthStart(month) === undefined || named.has(month)) odd.push(table);
      else named.set(month, table);
    }
    return { named, odd };
  }
}
