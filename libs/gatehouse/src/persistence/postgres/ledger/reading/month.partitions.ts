import type { Client } from 'pg';
import type { LogMonth } from '../../../../contracts/ports/ledger.reader.js';
import { boundsOf, monthStart } from '../../../../values/ledger/log.month.js';

/** A partition as the catalog has it. */
export interface MonthPartition {
  readonly oid: string;
  readonly name: string;
  /** The month it is named for; nothing where it is for none. */
  readonly month: LogMonth | undefined;
  /** Whether it holds the ids of that month, all of them and no others. */
  readonly isWhole: boolean;
  /** Whether it is a plain table: rows of any other are whatever answers. */
  readonly isTable: boolean;
}

/** The partitions of a table, by name. */
export async function readPartitions(client: Client, table: string): Promise<readonly MonthPartition[]> {
  const { rows } = await client.query<PartitionRow>(
    `SELECT c.oid::text AS oid, c.relname AS name, c.relkind::text AS kind, pg_get_expr(c.relpartbound, c.oid) AS bound
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1) ORDER BY c.relname, c.oid`,
    [table],
  );
  return rows.map(({ oid, name, kind, bound }) => {
    const named = /_(\d{6})$/.exec(name)?.[1] ?? '';
    const month = monthStart(named) === undefined ? undefined : named;
    return { oid, name, month, isWhole: month !== undefined && bound === boundOf(month), isTable: kind === 'r' };
  });
}

function boundOf(month: LogMonth): string {
  const { low, high } = boundsOf(month);
  return `FOR VALUES FROM ('${low}') TO ('${high}')`;
}

interface PartitionRow {
  readonly oid: string;
  readonly name: string;
  readonly kind: string;
  readonly bound: string | null;
}
