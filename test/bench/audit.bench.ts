import 'reflect-metadata';
import { cpus, loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { openWriter, writerOn } from '../audit/support/opened.writer.js';
import type { LedgerEntry } from '../../libs/gatehouse/src/contracts/ledger.js';
import { leafData } from '../../libs/gatehouse/src/values/ledger/leaf.data.js';
import { LEDGER_COLUMNS } from '../../libs/gatehouse/src/values/ledger/ledger.columns.js';
import { sealPayload } from '../../libs/gatehouse/src/values/ledger/payload.js';
import { UnsealedLog } from './audit.unsealed.js';
import { benchDatabase } from './audit.database.js';
import { executed, rowOf, withBodies } from './audit.records.js';

// What the evidence costs: one Node process and one durable PostgreSQL share the machine. Medians of interleaved rounds; the ratios are of the same run.

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const RECORDS = Number(process.env['BENCH_RECORDS'] ?? 20_000);
const SINGLE = 500;
const OFFERED = { perSecond: 1000, seconds: 5 };

const bench = await benchDatabase();
const { writer, close } = openWriter(bench.url, { records: 10 * RECORDS });
const bareWriter = writerOn(new UnsealedLog(bench.pool), { records: 10 * RECORDS });
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const at = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

const ingest = (into: typeof writer, make: () => LedgerEntry) => async (): Promise<void> => {
  const committed: Promise<void>[] = [];
  for (let n = 0; n < RECORDS; n += 1) {
    // The last one of a hundred is waited for: it goes with the others of its batch.
    if (n % 100 === 99) committed.push(into.submitDurably(make(), 60_000));
    else into.submit(make());
  }
  await Promise.all(committed);
  await into.lanes.idle();
};

const bareText = `INSERT INTO gatehouse.plain_log (${LEDGER_COLUMNS.map(({ name }) => name).join(', ')})
  VALUES (${LEDGER_COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})`;
const bare = (): Promise<unknown> => bench.pool.query(bareText, Object.values(rowOf(executed())));
const oneByOne = async (once: () => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let n = 0; n < SINGLE; n += 1) times.push(await seconds(once));
  return median(times) * 1000;
};

const rates: Record<string, number[]> = {};
const note = (name: string, value: number): void => void (rates[name] ??= []).push(value);
for (let round = 0; round <= ROUNDS; round += 1) {
  const results: [string, number][] = [
    ['sealed, records/s', RECORDS / (await seconds(ingest(writer, executed)))],
    ['sealed with bodies, records/s', RECORDS / (await seconds(ingest(writer, withBodies)))],
    ['unsealed, records/s', RECORDS / (await seconds(ingest(bareWriter, executed)))],
    [
      'repository.insert, records/s',
      SINGLE /
        (await seconds(async () => {
          for (let n = 0; n < SINGLE; n += 1) await bench.repository.insert(rowOf(executed()));
        })),
    ],
    ['bare INSERT, ms', await oneByOne(bare)],
    ['durable ack, ms', await oneByOne(() => writer.submitDurably(executed(), 60_000))],
  ];
  // The first round only warms up.
  if (round > 0) for (const [name, value] of results) note(name, value);
}

const acks: number[] = [];
for (let second = 0, started = performance.now(), sent = 0; second < OFFERED.seconds;) {
  await pause(1);
  const due = ((performance.now() - started) / 1000) * OFFERED.perSecond;
  for (; sent < due; sent += 1) {
    const asked = performance.now();
    void writer.submitDurably(executed(), 60_000).then(() => acks.push(performance.now() - asked));
  }
  second = (performance.now() - started) / 1000;
}
await writer.flush(60_000);

const entries = Array.from({ length: 5000 }, withBodies);
const submitting = entries.map((entry) => {
  const started = performance.now();
  writer.submit(entry);
  return (performance.now() - started) * 1000;
});
await writer.flush(60_000);
const encoding = entries.map((entry) => {
  const started = performance.now();
  leafData(entry.record, sealPayload(entry.payload ?? {}).commitment);
  return (performance.now() - started) * 1000;
});

const of = (name: string): number => median(rates[name] ?? []);
const rows: readonly (readonly [string, number, string])[] = [
  ['sealed durable ingest, records/s', of('sealed, records/s'), 'at least 20,000'],
  ['… with bodies, records/s', of('sealed with bodies, records/s'), 'at least 15,000'],
  ['… times repository.insert', of('sealed, records/s') / of('repository.insert, records/s'), 'at least 8'],
  ['the same path unsealed, records/s', of('unsealed, records/s'), ''],
  ['what sealing costs, %', 100 * (1 - of('sealed, records/s') / of('unsealed, records/s')), 'at most 25'],
  ['a bare single INSERT, ms', of('bare INSERT, ms'), ''],
  ["one caller's durable ack, ms", of('durable ack, ms'), ''],
  ['… times the bare INSERT', of('durable ack, ms') / of('bare INSERT, ms'), 'at most 2'],
  ['ack at 1,000 records/s offered, p50 ms', at(acks, 0.5), ''],
  ['… p99 ms', at(acks, 0.99), 'under 10'],
  ['submit(), us', median(submitting), 'at most 15'],
  ['encoding and binding one record with bodies, us', median(encoding), ''],
];
console.log(
  `\n${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}, ${ROUNDS} rounds of ${RECORDS} records\n`,
);
console.log('| what | median | aim |\n| --- | --- | --- |');
for (const [name, value, aim] of rows) console.log(`| ${name} | ${value.toFixed(value < 100 ? 2 : 0)} | ${aim} |`);
await close();
await bench.close();
