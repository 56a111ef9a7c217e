import type { Client } from 'pg';
import type { ShapeFault } from '../../../../contracts/ports/ledger.reader.js';
import { LEDGER_COLUMNS, type LedgerType } from '../../../../values/ledger/ledger.columns.js';
import type { TableNames } from '../../table.names.js';
import { readPartitions, type MonthPartition } from './month.partitions.js';

/**
 * Holds the tables against what was made: what is read through a view, a type with a cast of its own, a rule or a hiding policy says what their
 * owner wants it to say. From the catalog alone, so that none of it is run to find out.
 */
export async function readShape(client: Client, tables: TableNames): Promise<readonly ShapeFault[]> {
  const faults: ShapeFault[] = [];
  for (const [name, columns] of Object.entries(COLUMNS)) {
    const table = tables[name as keyof typeof COLUMNS];
    const isPartitioned = PARTITIONED.includes(name);
    for (const what of await problemsOf(client, table, columns, isPartitioned))
      faults.push({ month: undefined, message: `The table ${table} ${what}.`, isBlind: true });
  }
  return [...faults, ...(await partitionFaults(client, tables))];
}

const PARTITIONED: readonly string[] = ['log', 'payload'];

const SEALED = Object.fromEntries(LEDGER_COLUMNS.map(({ name, type }) => [name, type]));

/** What verifying reads of each table. */
const COLUMNS = {
  log: { ...SEALED, writer_id: 'uuid', seq: 'bigint', idx: 'integer' },
  payload: { id: 'uuid', organization_id: 'text', salt: 'bytea', body: 'bytea' },
  batch: {
    writer_id: 'uuid',
    seq: 'bigint',
    codec: 'smallint',
    count: 'integer',
    first_id: 'uuid',
    last_id: 'uuid',
    root: 'bytea',
    recorded_at: 'timestamptz',
  },
  leaf: { log_index: 'bigint', writer_id: 'uuid', seq: 'bigint', hash: 'bytea' },
  tile: { level: 'integer', index: 'bigint', hash: 'bytea' },
  checkpoint: { tree_size: 'bigint', root: 'bytea', note: 'text', created_at: 'timestamptz' },
  anchor: { tree_size: 'bigint', anchor: 'text', anchored_at: 'timestamptz' },
  outbox: { ordinal: 'bigint', ...SEALED },
  writer: { id: 'uuid', seen_at: 'timestamptz', last_seq: 'bigint', state: 'text', sealed_seq: 'bigint' },
} as const satisfies { readonly [Name in keyof TableNames]?: Readonly<Record<string, LedgerType | 'smallint'>> };

/** How the catalog calls them. */
const TYPE_NAMES: Readonly<Record<LedgerType | 'smallint', string>> = {
  uuid: 'uuid',
  text: 'text',
  timestamptz: 'timestamptz',
  smallint: 'int2',
  integer: 'int4',
  bigint: 'int8',
  boolean: 'bool',
  bytea: 'bytea',
};

/** What is wrong with one table, in words. A table that is not there is told by whoever reads it. */
async function problemsOf(
  client: Client,
  table: string,
  columns: Readonly<Record<string, LedgerType | 'smallint'>>,
  isPartitioned: boolean,
): Promise<readonly string[]> {
  const { rows } = await client.query<TableRow>(TABLE, [table]);
  const [row] = rows;
  if (row === undefined) return [];
  const kind = isPartitioned ? 'p' : 'r';
  if (row.kind !== kind)
    return [`is no ${isPartitioned ? 'partitioned ' : ''}table any more: something else answers in its place`];
  const problems: string[] = [];
  if (row.rules) problems.push('has a rule that rewrites what is done with it');
  if (row.secured && !isPartitioned) problems.push('has row-level security, which hides rows');
  if (row.restricted) problems.push('has a restrictive policy, which hides rows');
  if (row.children && !isPartitioned) problems.push('has tables that inherit from it');
  const found = new Map((await client.query<ColumnRow>(COLUMN, [row.oid])).rows.map((column) => [column.name, column]));
  for (const [name, type] of Object.entries(columns)) {
    const column = found.get(name);
    // The payload's commitment is of the log alone.
    if (column === undefined) continue;
    if (!column.is_built_in || column.type !== TYPE_NAMES[type])
      problems.push(
        `has a column ${name} of the type ${column.type}${column.is_built_in ? '' : ' (not a built-in one)'} instead of ${type}`,
      );
    else if (column.is_odd) problems.push(`has a column ${name} that is computed, or compared by rules of its own`);
  }
  return problems;
}

// Everything by the name of the parent, and named without a schema: only the built-in catalog is on the path.
const TABLE = `SELECT c.oid::text AS oid, c.relkind::text AS kind, c.relrowsecurity AS secured,
    EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid) AS rules,
    EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND NOT p.polpermissive) AS restricted,
    EXISTS (SELECT FROM pg_inherits i WHERE i.inhparent = c.oid) AS children
  FROM pg_class c WHERE c.oid = to_regclass($1)`;

const COLUMN = `SELECT a.attname AS name, t.typname AS type, t.typnamespace = 'pg_catalog'::regnamespace AS is_built_in,
    a.attgenerated <> '' OR EXISTS (SELECT FROM pg_collation c WHERE c.oid = a.attcollation
      AND (NOT c.collisdeterministic OR c.collnamespace <> 'pg_catalog'::regnamespace)) AS is_odd
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped`;

interface TableRow {
  readonly oid: string;
  readonly kind: string;
  readonly secured: boolean;
  readonly rules: boolean;
  readonly restricted: boolean;
  readonly children: boolean;
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly is_built_in: boolean;
  readonly is_odd: boolean;
}

/**
 * A partition of the log may have any name: its records are looked for by their ids. One that is named for a month and has others lies to whoever
 * looks for them by name. Payloads are read by the months of the log, so that theirs must be the same.
 */
async function partitionFaults(client: Client, { log, payload }: TableNames): Promise<readonly ShapeFault[]> {
  const ofLog = await readPartitions(client, log);
  const months = new Set(ofLog.map(({ month }) => month));
  const isAlone = ({ month }: MonthPartition): boolean => month !== undefined && !months.has(month);
  return [
    ...ofLog.flatMap((one) => partitionFault(one, one.month !== undefined && !one.isWhole, false)),
    ...(await readPartitions(client, payload)).flatMap((one) => partitionFault(one, !one.isWhole, isAlone(one))),
  ];
}

function partitionFault(
  { name, month, isTable }: MonthPartition,
  isLying: boolean,
  isAlone: boolean,
): readonly ShapeFault[] {
  const told = (message: string, isBlind = false): ShapeFault => ({ month, message, isBlind });
  if (!isTable) return [told(`The partition ${name} is no plain table: something else answers in its place.`, true)];
  if (isLying)
    return [told(`The partition ${name} does not hold the ids of the month it is named for, no more and no less.`)];
  return isAlone ? [told(`The partition ${name} has payloads of a month that the log does not have.`)] : [];
}
