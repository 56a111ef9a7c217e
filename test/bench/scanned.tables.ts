import type { DataSource } from 'typeorm';

/** Tables of the log of which this work reads a partition with many rows from one end to the other, by PostgreSQL's own count. */
export async function scannedTables(source: DataSource, work: () => Promise<unknown>): Promise<string[]> {
  const before = await sequentialReads(source);
  await work();
  const after = await sequentialReads(source);
  return [...after].filter(([table, rows]) => rows - (before.get(table) ?? 0) > 10_000).map(([table]) => table);
}

async function sequentialReads(source: DataSource): Promise<Map<string, number>> {
  await source.query('SELECT pg_stat_force_next_flush()');
  await source.query('SELECT pg_stat_clear_snapshot()');
  const rows = await source.query<{ relname: string; rows: string }[]>(
    `SELECT relname, seq_tup_read AS rows FROM pg_stat_user_tables WHERE schemaname = 'gatehouse' AND relname LIKE 'audit_log%'`,
  );
  return new Map(rows.map(({ relname, rows: read }) => [relname, Number(read)]));
}
