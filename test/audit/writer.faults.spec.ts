import { Client } from 'pg';
import { AuditUnavailableError } from 'nest-gatehouse';
import { captureLog } from 'nest-gatehouse/testing';
import { EvidenceHealth } from '../../libs/gatehouse/src/audit/evidence.health.js';
import type { SealStore } from '../../libs/gatehouse/src/contracts/ports/seal.store.js';
import type { ResolvedOptions } from '../../libs/gatehouse/src/contracts/resolved.options.js';
import { migratedDatabase } from '../persistence/opened.database.js';
import type { FreshDatabase } from '../support/postgres.js';
import { FaultyProxy } from './support/faulty.proxy.js';
import { logProblems, type Query } from './support/log.problems.js';
import { aRecord, openWriter, type OpenedWriter, type WriterSettings } from './support/opened.writer.js';

const UNSIGNED = { latestCheckpoint: () => Promise.resolve(undefined) } as unknown as SealStore;
const OPTIONS = { persistence: {}, audit: { seal: undefined } } as unknown as ResolvedOptions;

let database: FreshDatabase;
let client: Client;
let proxy: FaultyProxy;
let open: OpenedWriter[];
let log: ReturnType<typeof captureLog>;
const query: Query = async <Row>(text: string, values: unknown[] = []) =>
  (await client.query(text, values)).rows as Row[];

beforeEach(async () => {
  log = captureLog();
  database = await migratedDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  proxy = await FaultyProxy.to(database.url);
  open = [];
});
afterEach(async () => {
  proxy.fault = 'none';
  await Promise.all(open.map((one) => one.close()));
  expect(await logProblems(query)).toEqual([]);
  await client.end();
  await proxy.close();
  await database.drop();
  log.release();
});

const opened = (settings?: WriterSettings): OpenedWriter => {
  const one = openWriter(proxy.url, settings);
  open.push(one);
  return one;
};

/** The references of what is stored, in order. */
const stored = async (): Promise<string[]> =>
  (
    await query<{ reference: string }>(
      "SELECT reference FROM gatehouse.audit_log WHERE kind = 'read' ORDER BY reference",
    )
  ).map(({ reference }) => reference);

describe('a batch whose answer is lost', () => {
  it('is found committed: one copy, the same header, the next number goes to the next batch', async () => {
    const { writer } = opened();
    await writer.submitDurably(aRecord('before'), 5000);
    proxy.fault = 'no answer to a batch';
    await writer.submitDurably(aRecord('lost answer'), 5000);
    await writer.submitDurably(aRecord('after'), 5000);
    expect(proxy.struck).toBe(1);
    expect(await stored()).toEqual(['after', 'before', 'lost answer']);
    const batches = await query('SELECT seq::integer, count FROM gatehouse.audit_batch ORDER BY seq');
    expect(batches).toEqual([1, 2, 3, 4].map((seq) => ({ seq, count: 1 })));
  });

  it('of facts is found moved: each is in the log once, none in the outbox', async () => {
    const { writer } = opened();
    await client.query(
      `INSERT INTO gatehouse.evidence_outbox (id, kind, at, reference) SELECT gatehouse.uuid_v7(), 'read', now(), n::text FROM generate_series(1, 5) n`,
    );
    proxy.fault = 'no answer to a batch';
    await expect(writer.flush(5000)).resolves.toBeUndefined();
    expect([proxy.struck, await stored()]).toEqual([1, ['1', '2', '3', '4', '5']]);
    expect(await query('SELECT FROM gatehouse.evidence_outbox')).toEqual([]);
  });
});

describe('a number that somebody else took', () => {
  it('ends that writer: the same process goes on as a new one, and says so', async () => {
    const { writer, log: ledger } = opened();
    await writer.submitDurably(aRecord('one'), 5000);
    const [mine] = await query<{ writer_id: string }>('SELECT writer_id FROM gatehouse.audit_batch LIMIT 1');
    await ledger.append([aRecord('two')]);
    // A stranger with the same writer id, on a database that was restored: as its rows go, so must its header.
    await client.query('ALTER TABLE gatehouse.audit_batch DISABLE TRIGGER USER');
    await client.query('UPDATE gatehouse.audit_batch SET seq = 4 WHERE seq = 3 AND writer_id = $1', [mine?.writer_id]);
    await client.query('ALTER TABLE gatehouse.audit_batch ENABLE ALWAYS TRIGGER append_only');
    await client.query('ALTER TABLE gatehouse.audit_log DISABLE TRIGGER USER');
    await client.query('UPDATE gatehouse.audit_log SET seq = 4 WHERE seq = 3 AND writer_id = $1', [mine?.writer_id]);
    await writer.submitDurably(aRecord('three'), 5000);
    expect(await stored()).toEqual(['one', 'three', 'two']);
    const writers = await query<{ writer_id: string }>('SELECT DISTINCT writer_id FROM gatehouse.audit_batch');
    expect(writers).toHaveLength(2);
    expect(log.lines.filter(({ message }) => message.includes('was written by somebody else'))).toHaveLength(1);
    await client.query('ALTER TABLE gatehouse.audit_log DISABLE TRIGGER USER');
    await client.query('ALTER TABLE gatehouse.audit_batch DISABLE TRIGGER USER');
    await client.query('UPDATE gatehouse.audit_batch SET seq = 3 WHERE seq = 4 AND writer_id = $1', [mine?.writer_id]);
    await client.query('UPDATE gatehouse.audit_log SET seq = 3 WHERE seq = 4 AND writer_id = $1', [mine?.writer_id]);
  });
});

describe('a database that does not answer', () => {
  it('half open: whoever waits is told in time, and what was queued is written once it answers', async () => {
    const { writer } = opened({ deadlineMs: 300 });
    await writer.submitDurably(aRecord('before'), 5000);
    proxy.fault = 'half-open';
    const started = performance.now();
    await expect(writer.submitDurably(aRecord('required'), 200)).rejects.toThrow(AuditUnavailableError);
    expect(performance.now() - started).toBeLessThan(2000);
    writer.submit(aRecord('best effort'));
    await expect(writer.flush(500)).rejects.toThrow(AuditUnavailableError);
    expect(writer.waiting).toBe(2);
    proxy.fault = 'none';
    await writer.flush();
    expect(await stored()).toEqual(['before', 'best effort', 'required']);
    expect([writer.losses, writer.waiting]).toEqual([0, 0]);
  });

  it('disk full (53100): nothing is lost, health says that it is down, then up again', async () => {
    const { writer } = opened();
    const health = new EvidenceHealth(writer, UNSIGNED, OPTIONS);
    await writer.submitDurably(aRecord('before'), 5000);
    proxy.fault = 'disk full';
    await expect(writer.submitDurably(aRecord('full'), 300)).rejects.toThrow(AuditUnavailableError);
    expect(health.metrics()).toMatchObject({ queued: 1, lost: 0 });
    expect(health.metrics().retries).toBeGreaterThan(0);
    writer.lanes.failingSince = Date.now() - 6000;
    expect((await health.check()).status).toBe('down');
    proxy.fault = 'none';
    await writer.flush();
    expect(await stored()).toEqual(['before', 'full']);
    expect((await health.check()).status).toBe('up');
  });

  it('a pooler that mixes up prepared statements: the writer does without them', async () => {
    const { writer } = opened();
    await writer.submitDurably(aRecord('before'), 5000);
    proxy.fault = 'statements mixed up';
    for (const name of ['one', 'two']) await writer.submitDurably(aRecord(name), 5000);
    expect([proxy.struck, await stored()]).toEqual([1, ['before', 'one', 'two']]);
  });

  it('a shutdown meanwhile ends in time, says how much is lost, and shows as a writer that never closed', async () => {
    const { writer, close } = opened({ deadlineMs: 300, drain: 300 });
    await writer.submitDurably(aRecord('before'), 5000);
    proxy.fault = 'half-open';
    for (let n = 0; n < 7; n++) writer.submit(aRecord(`lost ${n}`));
    const started = performance.now();
    await close();
    open.pop();
    expect(performance.now() - started).toBeLessThan(5000);
    expect(log.lines.map(({ message }) => message)).toContain(
      '7 evidence records were not written before the shutdown; they are lost.',
    );
    expect(await query('SELECT state FROM gatehouse.evidence_writer')).toEqual([{ state: 'open' }]);
  });

  it('an outage that fills the queue leaves one gap record that says how much is missing, from which to which', async () => {
    const { writer } = opened({ records: 100 });
    await writer.submitDurably(aRecord('before'), 5000);
    proxy.fault = 'away';
    proxy.breakAll();
    const records = Array.from({ length: 130 }, (_, n) => aRecord(`n${String(n).padStart(3, '0')}`));
    for (const record of records) writer.submit(record);
    await new Promise((resolve) => setImmediate(resolve));
    proxy.fault = 'none';
    await writer.flush();
    const kept = await stored();
    const [gap] = await query<{ amount: number; reference: string }>(
      "SELECT amount::integer, reference FROM gatehouse.audit_log WHERE kind = 'gap' AND status = 'overflow'",
    );
    expect(kept.length - 1 + (gap?.amount ?? 0)).toBe(130);
    expect(gap?.reference).toBe(`${records[kept.length - 1]?.record.id}..${records.at(-1)?.record.id}`);
    expect(writer.losses).toBe(gap?.amount);
  });
});

describe('50,000 records in one turn', () => {
  it('are stored or told of in a gap, exactly', async () => {
    const { writer } = opened({ records: 10_000 });
    let rejected = 0;
    const durable: Promise<void>[] = [];
    for (let n = 0; n < 50_000; n++) {
      if (n % 10 > 0) writer.submit(aRecord('x'));
      else durable.push(writer.submitDurably(aRecord('x'), 60_000).catch(() => void (rejected += 1)));
    }
    await Promise.all(durable);
    await writer.flush(60_000);
    const [{ there, missing } = { there: 0, missing: 0 }] = await query<{ there: number; missing: number }>(
      `SELECT count(*) FILTER (WHERE kind = 'read')::integer AS there, coalesce(sum(amount) FILTER (WHERE kind = 'gap'), 0)::integer AS missing
        FROM gatehouse.audit_log`,
    );
    expect(there).toBe(10_000);
    expect(there + missing + rejected).toBe(50_000);
  });
});
