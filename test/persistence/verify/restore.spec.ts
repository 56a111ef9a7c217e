import { Client } from 'pg';
import { v7 } from 'uuid';
import type { LedgerEntry } from '../../../libs/gatehouse/src/contracts/ledger.js';
import { PostgresEvidenceLog } from '../../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { freshDatabase } from '../../support/postgres.js';
import { migratedDatabase, type OpenedDatabase } from '../opened.database.js';
import {
  cloned,
  seal,
  sealedTemplate,
  someEntries,
  type ClonedEvidence,
  type SealedTemplate,
} from './sealed.evidence.js';

const TABLES = [
  'audit_log',
  'audit_payload',
  'audit_batch',
  'audit_leaf',
  'audit_tile',
  'audit_checkpoint',
  'audit_anchor',
  'evidence_writer',
];

describe('restored evidence', () => {
  let template: SealedTemplate;
  beforeAll(async () => {
    template = await sealedTemplate();
  });
  afterAll(() => template.drop());

  it('verifies from a copy of its files', async () => {
    const { url } = await freshDatabase(template.name, 'file_copy');
    const copy = await cloned(url, template.note);
    expect((await copy.verify()).report.outcome).toBe('ok');
    await copy.drop();
  });

  it('verifies from a dump: every row as text, loaded into a new schema; a change made there is found', async () => {
    const source = await template.clone();
    const { url } = await migratedDatabase();
    const target = new Client({ connectionString: url });
    await target.connect();
    for (const table of TABLES) await reload(source.client, target, table);
    await target.end();
    await source.drop();
    const restored = await cloned(url, template.note);
    expect((await restored.verify()).report).toMatchObject({ outcome: 'ok', counts: { faults: 0 } });
    const { rows } = await restored.client.query<{ writer_id: string; seq: string }>(
      `UPDATE gatehouse.audit_log SET operation_id = gen_random_uuid() WHERE id = (SELECT id FROM gatehouse.audit_log WHERE kind = 'tool.executed' AND idx > 0 ORDER BY id LIMIT 1)
        RETURNING writer_id, seq`,
    );
    const { faults } = (await restored.verify()).report;
    const { writerId, seq } = { writerId: rows[0]?.writer_id, seq: Number(rows[0]?.seq) };
    // All rows of a dump are loaded later than their headers: which one it was cannot be told, and is not guessed.
    expect(faults).toEqual([
      expect.objectContaining({ kind: 'record changed', place: { month: faults[0]?.place.month, writerId, seq } }),
    ]);
    await restored.drop();
  });
});

async function reload(source: Client, target: Client, table: string): Promise<void> {
  const { rows } = await source.query<{ dump: string }>(`SELECT json_agg(t)::text AS dump FROM gatehouse.${table} t`);
  if (table === 'audit_log')
    await target.query(
      `SELECT gatehouse.ensure_month(at::timestamptz) FROM json_to_recordset($1::json) AS r(at text)`,
      [rows[0]?.dump],
    );
  await target.query(
    `INSERT INTO gatehouse.${table} SELECT * FROM json_populate_recordset(NULL::gatehouse.${table}, coalesce($1::json, '[]'))`,
    [rows[0]?.dump ?? null],
  );
}

describe('evidence of several months', () => {
  let template: SealedTemplate;
  let evidence: ClonedEvidence;
  beforeAll(async () => {
    template = await sealedTemplate(writeMonths);
  });
  afterAll(() => template.drop());
  beforeEach(async () => {
    evidence = await template.clone();
  });
  afterEach(() => evidence.drop());

  const drop = (month: string) =>
    evidence.client.query(`DROP TABLE gatehouse.audit_log_${month}; DROP TABLE gatehouse.audit_payload_${month}`);

  it('is whole: each month for itself', async () => {
    const { report } = await evidence.verify();
    expect(report.outcome).toBe('ok');
    expect(report.months.slice(0, 3)).toEqual(
      ['202601', '202602', '202603'].map((month) => ({ month, state: 'checked', records: 6 })),
    );
    const { report: part } = await evidence.verify({ from: new Date('2026-02-10'), until: new Date('2026-03-01') });
    expect(part.months.slice(0, 3).map(({ state }) => state)).toEqual(['not asked for', 'checked', 'not asked for']);
    expect(part.counts.records).toBe(6);
  });

  it('verifies without a month that was dropped on record, and says that it is archived', async () => {
    await drop('202602');
    const { report } = await evidence.verify();
    expect(report).toMatchObject({ outcome: 'ok', faults: [], shortfalls: [] });
    expect(report.months[1]).toEqual({ month: '202602', state: 'archived', records: 6 });
    expect(report.unchecked.filter((what) => what.includes('202602'))).toHaveLength(1);
    await drop('202601');
    expect((await evidence.verify()).report.months[0]).toEqual({ month: '202601', state: 'missing', records: 6 });
  });

  it('is incomplete without a month that nobody recorded to be dropped', async () => {
    await drop('202603');
    const { report } = await evidence.verify();
    expect(report).toMatchObject({ outcome: 'incomplete', faults: [] });
    expect(report.shortfalls.map(({ kind, place }) => [kind, place])).toEqual([['missing month', { month: '202603' }]]);
  });

  it('shows a record that was moved into another month', async () => {
    const { rows } = await evidence.client.query<{ id: string; writer_id: string; seq: string }>(
      `SELECT id, writer_id, seq FROM gatehouse.audit_log_202601 ORDER BY idx LIMIT 1`,
    );
    const [row] = rows;
    const moved = v7({ msecs: Date.UTC(2026, 2, 20) });
    await evidence.client.query('UPDATE gatehouse.audit_log SET id = $2 WHERE id = $1', [row?.id, moved]);
    const { report } = await evidence.verify();
    const place = { writerId: row?.writer_id, seq: Number(row?.seq) };
    expect(report.faults).toContainEqual(
      expect.objectContaining({
        kind: 'record added',
        place: expect.objectContaining({ ...place, id: moved, month: '202603' }) as object,
      }),
    );
    expect(report.faults).toContainEqual(
      expect.objectContaining({
        kind: 'record missing',
        place: expect.objectContaining({ ...place, month: '202601' }) as object,
      }),
    );
  });
});

/** Six records in each of three months, and one that says that February was dropped. */
async function writeMonths(test: OpenedDatabase): Promise<string> {
  const log = new PostgresEvidenceLog(test.database);
  log.open({ host: 'h', pid: 1, version: '0' });
  for (const month of [0, 1, 2]) {
    const at = new Date(Date.UTC(2026, month, 15));
    const entries = someEntries([v7(), v7()]).map(({ record, payload }): LedgerEntry => ({
      record: { ...record, id: v7({ msecs: at.getTime() }), at },
      payload,
    }));
    await log.append(entries);
  }
  const dropped = {
    id: v7(),
    kind: 'retention',
    at: new Date(),
    status: 'dropped',
    reference: '202602',
    amount: 6,
  } as const;
  await log.append([{ record: dropped, payload: null }]);
  await log.close(5000);
  return seal(test);
}
