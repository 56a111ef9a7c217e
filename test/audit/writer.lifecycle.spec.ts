import { v7 } from 'uuid';
import { captureLog } from 'nest-gatehouse/testing';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { VERSION } from '../../libs/gatehouse/src/values/version.js';
import { openDatabase, type OpenedDatabase } from '../persistence/opened.database.js';
import { logProblems } from './support/log.problems.js';
import { aRecord, openWriter, type OpenedWriter } from './support/opened.writer.js';

let test: OpenedDatabase;
let opened: OpenedWriter;
let log: ReturnType<typeof captureLog>;
const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> => test.source.query<Row[]>(text, values);

beforeEach(async () => {
  log = captureLog();
  test = await openDatabase();
  opened = openWriter(test.url);
});
afterEach(async () => {
  await opened.close();
  expect(await logProblems(query)).toEqual([]);
  await test.close();
  log.release();
});

const records = (kind: string) =>
  query<{ status: string; amount: string | null; reference: string; operation_id: string | null }>(
    'SELECT status, amount, reference, operation_id FROM gatehouse.audit_log WHERE kind = $1 ORDER BY id',
    [kind],
  );
const writers = () => query<{ id: string; state: string; last_seq: string }>('SELECT * FROM gatehouse.evidence_writer');
const leaveFact = (id: string, changes = '') =>
  query(`INSERT INTO gatehouse.evidence_outbox (id, kind, at, reference ${changes && ', status'})
    VALUES ('${id}', 'read', now(), 'fact' ${changes && `, '${changes}'`})`);
const outbox = () => query('SELECT id FROM gatehouse.evidence_outbox');

describe('a writer', () => {
  it('opens with its first record, and closes with the number of its last batch', async () => {
    await opened.writer.flush();
    expect(await writers()).toEqual([]);
    await opened.writer.submitDurably(aRecord('one'), 5000);
    const [open] = await writers();
    expect(open).toMatchObject({ state: 'open', pid: process.pid, version: VERSION });
    await opened.close();
    expect(await writers()).toMatchObject([{ id: open?.id, state: 'closed', last_seq: '3' }]);
    expect(await records('writer')).toMatchObject([
      { status: 'opened', amount: null, reference: open?.id },
      { status: 'closed', amount: '3', reference: open?.id },
    ]);
  });

  it('that was not heard of is lost once, whoever looks, and goes on as a new one if it lives', async () => {
    await opened.writer.submitDurably(aRecord('one'), 5000);
    const [first] = await writers();
    await query("UPDATE gatehouse.evidence_writer SET seen_at = seen_at - interval '1 minute'");
    const other = openWriter(test.url);
    const found = await Promise.all([other.log.markLost(30_000), opened.log.markLost(30_000)]);
    expect(found.flat()).toEqual([first?.id]);
    await other.writer.flush();
    const told = (await records('writer')).filter(({ status }) => status === 'lost');
    expect(told).toMatchObject([{ amount: '2', reference: first?.id }]);
    await opened.log.beat();
    await opened.writer.submitDurably(aRecord('two'), 5000);
    expect((await writers()).map(({ state }) => state).toSorted()).toEqual(['lost', 'open', 'open']);
    await other.close();
  });

  it('that is closed with 5000 records in its queue has written them', async () => {
    for (let n = 0; n < 5000; n++) opened.writer.submit(aRecord('queued'));
    await opened.close();
    expect((await records('read')).length).toBe(5000);
    expect(opened.writer.losses).toBe(0);
  });

  it('says with each heartbeat how far it is', async () => {
    await opened.writer.submitDurably(aRecord('one'), 5000);
    await query("UPDATE gatehouse.evidence_writer SET seen_at = seen_at - interval '1 minute'");
    await opened.log.beat();
    expect(await opened.log.markLost(30_000)).toEqual([]);
    expect(await writers()).toMatchObject([{ state: 'open', last_seq: '2' }]);
  });
});

describe('facts', () => {
  it('of another process are found by looking, every second', async () => {
    opened.writer.onApplicationBootstrap();
    await leaveFact(newId());
    while ((await outbox()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await records('read')).toHaveLength(1);
  });

  it('one that the log cannot take holds up no other: a gap record has what it said, whose it was and why', async () => {
    const [good, bad, late] = [newId(), newId(), newId()];
    await query("ALTER TABLE gatehouse.audit_log ADD CONSTRAINT no_evil CHECK (status <> 'evil')");
    await leaveFact(good);
    await leaveFact(bad, 'evil');
    await leaveFact(late);
    await opened.writer.flush();
    expect(await outbox()).toEqual([]);
    expect(
      (await query<{ id: string }>("SELECT id FROM gatehouse.audit_log WHERE kind = 'read' ORDER BY id")).map(
        ({ id }) => id,
      ),
    ).toEqual([good, late]);
    const [gap] = await query<{ detail: string; reason: string; reference: string }>(
      `SELECT convert_from(body, 'UTF8')::json->>'detail' AS detail, convert_from(body, 'UTF8')::json->>'reason' AS reason, reference
        FROM gatehouse.audit_log l JOIN gatehouse.audit_payload p ON p.id = l.id WHERE kind = 'gap'`,
    );
    expect(gap).toMatchObject({ reference: bad, reason: 'The database refuses it (SQLSTATE 23514).' });
    expect(JSON.parse(gap?.detail ?? '')).toMatchObject({ record: { id: bad, kind: 'read', status: 'evil' } });
    expect(opened.writer.losses).toBe(1);
  });

  it('whose payload is no JSON keep it as text', async () => {
    await leaveFact(newId());
    await query("UPDATE gatehouse.evidence_outbox SET payload = 'no json'");
    await opened.writer.flush();
    const bodies = await query(
      "SELECT convert_from(body, 'UTF8')::json->>'detail' AS detail FROM gatehouse.audit_payload",
    );
    expect([await outbox(), bodies]).toEqual([[], [{ detail: 'no json' }]]);
  });

  it('whose id is in no month that can be made, is told of as well', async () => {
    await leaveFact(v7({ msecs: Date.UTC(1980, 0, 1) }));
    await leaveFact(v7({ msecs: Date.UTC(2025, 1, 28) }));
    await opened.writer.flush();
    expect(await outbox()).toEqual([]);
    expect([(await records('read')).length, (await records('gap')).length]).toEqual([1, 1]);
  });

  it('that are in the log already leave the outbox; one that says something else there leaves a gap record', async () => {
    const [same, other] = [newId(), newId()];
    await leaveFact(same);
    await leaveFact(other);
    await opened.writer.flush();
    await query(
      `INSERT INTO gatehouse.evidence_outbox (id, kind, at, reference) SELECT id, kind, at, CASE id WHEN $1::uuid THEN 'forged' ELSE reference END
        FROM gatehouse.audit_log WHERE kind = 'read'`,
      [other],
    );
    await opened.writer.flush();
    expect(await outbox()).toEqual([]);
    expect(await records('gap')).toMatchObject([{ status: 'conflict', amount: '1', reference: other }]);
    expect((await records('read')).map(({ reference }) => reference)).toEqual(['fact', 'fact']);
  });
});

describe('records', () => {
  it('of two months in one batch are two batches, each in its own partition', async () => {
    const turn = Date.UTC(2024, 2, 1);
    for (const msecs of [turn - 1, turn, turn + 1]) opened.writer.submit(aRecord('turn', v7({ msecs })));
    await opened.writer.flush();
    const months = await query(
      `SELECT tableoid::regclass::text AS month, seq::integer, count(*)::integer FROM gatehouse.audit_log WHERE kind = 'read' GROUP BY 1, 2 ORDER BY 2`,
    );
    expect(months).toEqual([
      { month: 'gatehouse.audit_log_202402', seq: 2, count: 1 },
      { month: 'gatehouse.audit_log_202403', seq: 3, count: 2 },
    ]);
  });

  it('of a batch that has one the database refuses: 99 stored, one gap', async () => {
    await query("ALTER TABLE gatehouse.audit_log ADD CONSTRAINT no_evil CHECK (reference <> 'evil')");
    for (let n = 0; n < 100; n++) opened.writer.submit(aRecord(n === 42 ? 'evil' : 'good'));
    await opened.writer.flush();
    expect((await records('read')).length).toBe(99);
    expect(await records('gap')).toMatchObject([{ status: 'refused', amount: '1' }]);
  });

  it('twice under one id are one; with other content the first stays, and it is told', async () => {
    const record = aRecord('first');
    await opened.writer.submitDurably(record, 5000);
    await opened.writer.submitDurably(record, 5000);
    const forged = { ...record, record: { ...record.record, reference: 'second' } };
    await expect(opened.writer.submitDurably(forged, 5000)).rejects.toThrow('is not known to be in the evidence');
    await opened.writer.flush();
    expect((await records('read')).map(({ reference }) => reference)).toEqual(['first']);
    expect(await records('gap')).toMatchObject([{ status: 'conflict', reference: record.record.id }]);
  });
});
