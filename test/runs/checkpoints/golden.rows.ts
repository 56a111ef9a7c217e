import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { escapeIdentifier } from 'pg';

import { sqlOn } from '../../conformance/support/sql.js';

type Row = Readonly<Record<string, unknown>>;

/** A run as it stands in the database: the rows of each table. */
export type GoldenRows = Readonly<Record<string, readonly Row[]>>;

// Where a checkpoint is. Of its events and its evidence a resumption needs nothing.
const TABLES = ['agent_run', 'run_segment', 'run_step', 'thread', 'thread_message', 'approval_request'];
const ORDER: Readonly<Record<string, string>> = {
  thread_message: 'position',
  run_step: 'step',
  approval_request: 'id',
};
/** Made by the database, for each row anew. */
const MADE = ['position'];

const fileOf = (version: number): string => join(import.meta.dirname, `v${version}.json`);

/** The versions of which there is a golden run, in order. */
export const goldenVersions = (): readonly number[] =>
  readdirSync(import.meta.dirname)
    .flatMap((name) => /^v(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => one - other);

export const goldenRun = (version: number): GoldenRows =>
  JSON.parse(readFileSync(fileOf(version), 'utf8')) as GoldenRows;

export const keepGolden = (version: number, rows: GoldenRows): void =>
  writeFileSync(fileOf(version), `${JSON.stringify(rows, null, 2)}\n`);

/** Everything of the one run in this database. */
export async function rowsIn(url: string): Promise<GoldenRows> {
  const tables: Record<string, readonly Row[]> = {};
  for (const table of TABLES) {
    const order = ORDER[table] === undefined ? '' : ` order by t.${ORDER[table]}`;
    const rows = await sqlOn<{ row: Row }>(url, `select to_json(t) as row from gatehouse.${table} t${order}`);
    tables[table] = rows.map(({ row }) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !MADE.includes(name))),
    );
  }
  return tables;
}

/** Puts a golden run into a database. Its approvals wait an hour from now. */
export async function putRows(url: string, rows: GoldenRows): Promise<void> {
  const tomorrow = new Date(Date.now() + 3_600_000).toISOString();
  for (const [table, each] of Object.entries(rows)) {
    for (const row of each) {
      // Before there were versions there was no such column: whoever adds it to a database that holds runs says 0.
      const whole = table === 'agent_run' ? { checkpoint_version: 0, ...row } : { ...row };
      const dated = 'expires_at' in whole ? { ...whole, expires_at: tomorrow } : whole;
      const columns = Object.keys(dated).map(escapeIdentifier).join(', ');
      await sqlOn(
        url,
        `insert into gatehouse.${table} (${columns}) select ${columns} from json_populate_record(null::gatehouse.${table}, $1)`,
        [JSON.stringify(dated)],
      );
    }
  }
}
