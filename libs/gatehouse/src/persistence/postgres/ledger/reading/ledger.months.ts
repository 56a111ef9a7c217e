import { escapeIdentifier, type Client } from 'pg';
import type { LogMonth } from '../../../../contracts/ports/ledger.reader.js';
import { boundsOf, monthStart } from '../../../../values/ledger/log.month.js';
import type { TableNames } from '../../table.names.js';
import type { MonthTables } from './payload.query.js';

/** Which months the log has, and in which tables they lie. */
export class LedgerMonths {
  private known:
    { readonly log: ReadonlyMap<LogMonth, string>; readonly payload: ReadonlyMap<LogMonth, string> } | undefined;

  constructor(
    private readonly client: Client,
    private readonly tables: TableNames,
  ) {}

  async months(): Promise<readonly LogMonth[]> {
    return [...(await this.read()).log.keys()].sort();
  }

  async tablesOf(month: LogMonth): Promise<MonthTables> {
    const { log, payload } = await this.read();
    const { low, high } = boundsOf(month);
    // A month without a partition has no rows; what says it lies in one is found by its id anyway.
    const whole = `(SELECT * FROM ${this.tables.log} WHERE id >= '${low}' AND id < '${high}')`;
    return { log: log.get(month) ?? whole, payload: payload.get(month) };
  }

  async batchMonths(): Promise<readonly { readonly month: LogMonth; readonly records: number }[]> {
    // The time in a uuid v7 is its first 48 bits.
    const { rows } = await this.client.query<{ month: string; records: string }>(
      `SELECT to_char(to_timestamp(('x0000' || left(replace(first_id::text, '-', ''), 12))::bit(64)::bigint / 1000.0) AT TIME ZONE 'UTC', 'YYYYMM') AS month,
        sum(count) AS records FROM ${this.tables.batch} GROUP BY 1 ORDER BY 1`,
    );
    return rows.map(({ month, records }) => ({ month, records: Number(records) }));
  }

  private async read() {
    return (this.known ??= {
      log: await this.partitionsOf(this.tables.log),
      payload: await this.partitionsOf(this.tables.payload),
    });
  }

  private async partitionsOf(parent: string): Promise<ReadonlyMap<LogMonth, string>> {
    const { rows } = await this.client.query<{ schema: string; name: string }>(
      `SELECT n.nspname AS schema, c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE i.inhparent = to_regclass($1) ORDER BY c.relname`,
      [parent],
    );
    const named = rows.map(({ schema, name }): [LogMonth, string] => [
      name.slice(-6),
      `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`,
    ]);
    return new Map(named.filter(([month]) => monthStart(month) !== undefined));
  }
}
