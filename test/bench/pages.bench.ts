import 'reflect-metadata';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { GatehouseMigrator } from 'nest-gatehouse/typeorm';
import { Database } from '../../libs/gatehouse/src/persistence/postgres/database.js';
import { PostgresEvidenceStore } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.store.js';
import { openDevelopmentDatabase } from '../../src/development-database/development-database.js';
import { scannedTables } from './scanned.tables.js';

// What a page of evidence costs in a log of millions of records, made once in SQL and kept in .gatehouse/pages between runs.

const RECORDS = Number(process.env['BENCH_RECORDS'] ?? 5_000_000);
const TIMES = Number(process.env['BENCH_ROUNDS'] ?? 200);
const AIM = 5;

// 200 organizations, 20,000 people, 40 tools, a run for every ten records; one in a thousand is refused, one in a million aborted.
const MADE = `INSERT INTO gatehouse.audit_log (id, kind, at, started_at, organization_id, principal_id, run_id, thread_id, operation_id, step, position,
    tool_name, tool_call_id, call_kind, status, outcome, execution_started, late, target_type, target_id, duration_us, result_size, writer_id, seq, idx)
  SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, kind, at, at,
    'org-' || run % 200, 'user-' || run % 20000, ('0000000000007000a000' || lpad(to_hex(run), 12, '0'))::uuid, 'thread-' || run / 5,
    ('0000000000007000b000' || lpad(to_hex(n), 12, '0'))::uuid, 1, 0, 'tool-' || n % 40, 'call-' || n, 'tool',
    CASE WHEN kind = 'tool.executed' THEN CASE WHEN n % 50 = 0 THEN 'failure' ELSE 'success' END
      WHEN n % 1000000 = 1 THEN 'aborted' WHEN n % 1000 = 1 THEN 'denied' ELSE 'completed' END,
    'success', true, false, 'order', 'order-' || n % 100000, 1000, 10, ('0000000000007000c000' || lpad(to_hex(n / 500), 12, '0'))::uuid, 1, n % 500
  FROM (SELECT n, n / 10 AS run, date_trunc('milliseconds', now() - (${RECORDS} - n) * interval '2 seconds') AS at,
    CASE n % 2 WHEN 0 THEN 'tool.executed' ELSE 'operation.finished' END AS kind FROM generate_series($1::integer, $2::integer) AS n) s`;

const server = await openDevelopmentDatabase({
  persistent: true,
  dataDirectory: join(process.cwd(), '.gatehouse', 'pages'),
  settings: { shared_buffers: '512MB', max_wal_size: '8GB', maintenance_work_mem: '512MB' },
});
const source = await new DataSource({ type: 'postgres', url: server.url, entities: [] }).initialize();
await new GatehouseMigrator(source.options, 'gatehouse').migrate('run');
const [{ count } = { count: 0 }] = await source.query<{ count: number }[]>(
  'SELECT count(*)::integer AS count FROM gatehouse.audit_log',
);
if (count < RECORDS) {
  const started = performance.now();
  await source.query(
    `SELECT gatehouse.ensure_month(now() - month * interval '1 month') FROM generate_series(0, 12) AS month`,
  );
  for (let from = count + 1; from <= RECORDS; from += 250_000)
    await source.query(MADE, [from, Math.min(from + 249_999, RECORDS)]);
  await source.query('ANALYZE gatehouse.audit_log');
  console.log(`Made ${RECORDS - count} records in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
}

const evidence = new PostgresEvidenceStore(new Database(source, 'gatehouse'));
const [sample] = (await evidence.executions({ limit: 1 })).items;
const month = new Date(Date.now() - 20 * 86_400_000);
const pages: Readonly<
  Record<string, () => Promise<{ readonly items: readonly object[]; readonly nextCursor: string | null }>>
> = {
  'executions, first page': () => evidence.executions({}),
  'executions of an organization': () => evidence.executions({ organizationId: 'org-7' }),
  'executions of an organization, failed': () => evidence.executions({ organizationId: 'org-7', success: false }),
  'executions of a person': () => evidence.executions({ principalId: 'user-77' }),
  'executions of a tool': () => evidence.executions({ toolName: 'tool-4' }),
  'executions of a tool that is not there': () => evidence.executions({ toolName: 'nothing' }),
  'executions that failed': () => evidence.executions({ success: false }),
  'executions on a target': () => evidence.executions({ targetType: 'order', targetId: 'order-4712' }),
  'executions of a run': () => evidence.executions({ runId: sample?.runId ?? '' }),
  'executions of a thread': () => evidence.executions({ threadId: sample?.threadId ?? '' }),
  'executions since 20 days, page 2': async () => {
    const first = await evidence.executions({ from: month });
    return evidence.executions({ from: month, ...(first.nextCursor === null ? {} : { cursor: first.nextCursor }) });
  },
  'operations, first page': () => evidence.operations({}),
  'operations denied': () => evidence.operations({ status: 'denied' }),
  'operations aborted (five there are)': () => evidence.operations({ status: 'aborted' }),
  'operations of a status that no record has': () => evidence.operations({ status: 'deferred' }),
  'operations denied, of an organization': () => evidence.operations({ status: 'denied', organizationId: 'org-7' }),
  'timeline of a run': async () => ({ items: await evidence.timeline(sample?.runId ?? ''), nextCursor: null }),
};

console.log(`\n${RECORDS} records, ${TIMES} times each, aim: p95 under ${AIM} ms and no table that is scanned whole\n`);
console.log('| page | p50 ms | p95 ms | records | scanned whole |\n| --- | --- | --- | --- | --- |');
for (const [name, read] of Object.entries(pages)) {
  const { items } = await read();
  const times: number[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    const started = performance.now();
    await read();
    times.push(performance.now() - started);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(2);
  const scanned = await scannedTables(source, read);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} | ${items.length} | ${scanned.join(', ') || '-'} |`);
}
await source.destroy();
await server.stop();
