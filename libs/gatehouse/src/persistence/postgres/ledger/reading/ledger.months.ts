import type { Client } from 'pg';
import type { LogMonth } from '../../../../contracts/ports/ledger.reader.js';
import { boundsOf } from '../../../../values/ledger/log.month.js';
import type { TableNames } from '../../table.names.js';
import { readPartitions } from './month.partitions.js';
import type { MonthTables } from './payload.query.js';

// The time in a uuid v7 is its first 48 bits.
const monthOfId = (id: string): string =>
  `to_char(to_timestamp(('x0000' || left(replace(${id}::text, '-', ''), 12))::bit(64)::bigint / 1000.0) AT TIME ZONE 'UTC', 'YYYYMM')`;

/**
 * Which months the log has. Records are read through the table as a whole, of which the planner takes the month's partition alone: an auditor has no
 * rights on partitions.
 */
export class LedgerMonths {
  constructor(
    private readonly client: Client,
    private readonly tables: TableNames,
  ) {}

  /** Those that have a partition, and those of records in partitions that are named for none, or for another than they have. */
  async months(): Promise<readonly LogMonth[]> {
    const months = new Set<LogMonth>();
    const odd: string[] = [];
    for (const { oid, month, isWhole } of await readPartitions(this.client, this.tables.log)) {
      if (month === undefined || !isWhole || months.has(month)) odd.push(oid);
      else months.add(month);
    }
    if (odd.length > 0) for (const month of await this.monthsIn(odd)) months.add(month);
    return [...months].sort();
  }

  /** Where the records of a month are. */
  tablesOf(month: LogMonth): MonthTables {
    const { low, high } = boundsOf(month);
    const part = (table: string): string => `(SELECT * FROM ${table} WHERE id >= '${low}' AND id < '${high}')`;
    return { log: part(this.tables.log), payload: part(this.tables.payload) };
  }

  async batchMonths(): Promise<readonly { readonly month: LogMonth; readonly records: number }[]> {
    const { rows } = await this.client.query<{ month: string; records: string }>(
      `SELECT ${monthOfId('first_id')} AS month, sum(count) AS records FROM ${this.tables.batch} GROUP BY 1 ORDER BY 1`,
    );
    return rows.map(({ month, records }) => ({ month, records: Number(records) }));
  }

  private async monthsIn(partitions: readonly string[]): Promise<readonly LogMonth[]> {
    const { rows } = await this.client.query<{ month: string }>(
      `SELECT DISTINCT ${monthOfId('l.id')} AS month FROM ${this.tables.log} l WHERE l.tableoid = ANY ($1::oid[])`,
      [partitions],
    );
    return rows.map(({ month }) => month);
  }
}
