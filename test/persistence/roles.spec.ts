import { DataSource } from 'typeorm';
import { PostgresEvidenceStore } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.store.js';
import { PostgresEvidenceLog } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { PostgresRunStore } from '../../libs/gatehouse/src/persistence/postgres/postgres.run.store.js';
import { Database } from '../../libs/gatehouse/src/persistence/postgres/database.js';
import { examine } from '../../libs/gatehouse/src/persistence/postgres/doctor/examine.js';
import type { Finding } from '../../libs/gatehouse/src/persistence/postgres/doctor/finding.js';
import { rolesScript } from '../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import {
  anApproval,
  anEnding,
  anExecution,
  anOperation,
  aRun,
  ME,
  userMessage,
} from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';
import { sealing, type Sealing } from './sealing.js';

describe('roles', () => {
  let test: OpenedDatabase;
  let seal: Sealing;
  const sessions: DataSource[] = [];
  const PASSWORD = 'only-here';

  /** A session of a role that is a member of one of the schema's, as an operator makes them. */
  const session = async (role: string): Promise<DataSource> => {
    const login = `${role}_${newId().replaceAll('-', '').slice(-12)}`;
    await test.source.query(`CREATE ROLE ${login} LOGIN PASSWORD '${PASSWORD}' IN ROLE gatehouse_${role}`);
    const url = new URL(test.url);
    url.username = login;
    url.password = PASSWORD;
    const source = await new DataSource({ type: 'postgres', url: url.href }).initialize();
    sessions.push(source);
    return source;
  };
  const refused = async (source: DataSource, text: string): Promise<string> => {
    const failure: unknown = await source.query(text).catch((error: unknown) => error);
    return (failure as { driverError: { code: string } }).driverError?.code ?? 'allowed';
  };
  const doctor = async (source: DataSource): Promise<readonly Finding[]> =>
    examine(
      <Row>(text: string, values: readonly unknown[] = []) => source.query<Row[]>(text, [...values]),
      'gatehouse',
    );
  const verdict = (findings: readonly Finding[], check: string): string =>
    findings.find((one) => one.check === check)?.verdict ?? 'absent';

  beforeAll(async () => {
    test = await openDatabase();
    await test.source.query(rolesScript('gatehouse'));
    seal = sealing(test);
    seal.sealer.onApplicationBootstrap();
    for (const organizationId of ['acme', 'other', null]) {
      await test.evidence.append([executionEntry(anExecution({ id: newId(), threadId: 't' }, { organizationId }))]);
    }
    await seal.sealer.seal();
  });
  afterAll(async () => {
    await seal.sealer.onApplicationShutdown();
    await seal.writer.onApplicationShutdown();
    await Promise.all(sessions.map((source) => source.destroy()));
    await test.close();
  });

  it('can be made again, which changes nothing', async () => {
    await test.source.query(rolesScript('gatehouse'));
  });

  it('the application can do all it does, and change no evidence', async () => {
    const source = await session('writer');
    const database = new Database(source, 'gatehouse');
    const log = new PostgresEvidenceLog(database);
    log.open({ host: 'here', pid: 1, version: '0' });
    const [store, evidence] = [new PostgresRunStore(database), new PostgresEvidenceStore(database, log)];
    const wanted = aRun();
    await store.startRun(wanted, [userMessage('hello')], [], ME);
    const fence = { runId: wanted.id, epoch: 1 };
    await store.requestApproval(fence, anApproval(wanted));
    await store.finish(fence, anEnding(wanted, { operations: [anOperation(wanted)], audit: anExecution(wanted) }), []);
    await evidence.moveFacts();
    expect((await evidence.timeline(wanted.id)).length).toBeGreaterThan(4);
    await log.close(1000);
    for (const table of [
      'audit_log',
      'audit_payload',
      'audit_batch',
      'audit_leaf',
      'audit_checkpoint',
      'approval_event',
    ]) {
      for (const change of [`DELETE FROM gatehouse.${table}`, `TRUNCATE gatehouse.${table}`]) {
        expect([change, await refused(source, change)]).toEqual([change, '42501']);
      }
    }
    expect(await refused(source, `UPDATE gatehouse.audit_log SET kind = 'gap'`)).toBe('42501');
    expect(await refused(source, `SELECT gatehouse.drop_month('202601')`)).toBe('42501');
    expect(await refused(source, `DROP TRIGGER append_only ON gatehouse.audit_log`)).toBe('42501');
    const findings = await doctor(source);
    expect([verdict(findings, 'grants'), verdict(findings, 'triggers')]).toEqual(['ok', 'ok']);
  });

  it('a reader sees the organization it has set, and nothing where it set none; not past a partition either', async () => {
    const source = await session('reader');
    const seen = async (organization: string | undefined): Promise<(string | null)[]> =>
      source.transaction(async (manager) => {
        if (organization !== undefined)
          await manager.query(`SELECT set_config('gatehouse.organization', $1, true)`, [organization]);
        const rows = await manager.query<{ organization_id: string | null }[]>(
          'SELECT DISTINCT organization_id FROM gatehouse.tool_execution',
        );
        return rows.map(({ organization_id }) => organization_id);
      });
    expect([await seen(undefined), await seen(''), await seen('acme'), await seen('nobody')]).toEqual([
      [],
      [],
      ['acme'],
      [],
    ]);
    const [partition] = await test.source.query<{ name: string }[]>(
      `SELECT tableoid::regclass::text AS name FROM gatehouse.audit_log LIMIT 1`,
    );
    expect(await refused(source, `SELECT FROM ${partition?.name}`)).toBe('42501');
    expect(await refused(source, 'SELECT FROM gatehouse.agent_run')).toBe('42501');
    expect(await refused(source, 'INSERT INTO gatehouse.audit_payload SELECT * FROM gatehouse.audit_payload')).toBe(
      '42501',
    );
  });

  it('an auditor sees everything and writes nothing', async () => {
    const source = await session('auditor');
    const rows = await source.query<object[]>(`SELECT FROM gatehouse.tool_execution WHERE tool_name = 'refund'`);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    expect(await refused(source, `INSERT INTO gatehouse.legal_hold (id) VALUES (gen_random_uuid())`)).toBe('42501');
    expect(await refused(source, 'DELETE FROM gatehouse.audit_payload')).toBe('42501');
  });

  it('whoever maintains lets go only what a record lets go', async () => {
    const source = await session('maintenance');
    expect(await refused(source, 'DELETE FROM gatehouse.audit_payload')).toBe('23001');
    expect(await refused(source, `SELECT gatehouse.drop_month('202601')`)).toBe('23001');
    expect(await refused(source, 'DELETE FROM gatehouse.audit_log')).toBe('42501');
  });
});

describe('the doctor', () => {
  let test: OpenedDatabase;
  const doctor = async (): Promise<Readonly<Record<string, Finding>>> => {
    const findings = await examine(
      <Row>(text: string, values: readonly unknown[] = []) => test.source.query<Row[]>(text, [...values]),
      'gatehouse',
    );
    return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
  };
  beforeEach(async () => {
    test = await openDatabase();
  });
  afterEach(() => test.close());

  it('finds a fresh database in order, but warns of its owner and of what is not set up', async () => {
    // The server of these tests gives durability away for speed.
    const findings = Object.values(await doctor()).filter(({ check }) => check !== 'server');
    expect(findings.filter(({ verdict }) => verdict === 'problem')).toEqual([]);
    expect(findings.filter(({ verdict }) => verdict === 'warning').map(({ check }) => check)).toEqual([
      'grants',
      'seal',
      'anchors',
    ]);
  });

  it.each([
    ['triggers', 'ALTER TABLE gatehouse.audit_log DISABLE TRIGGER append_only', 'audit_log.append_only'],
    ['triggers', 'ALTER TABLE gatehouse.audit_batch ENABLE TRIGGER never_truncated', 'audit_batch.never_truncated'],
    [
      'triggers',
      `DO $$ BEGIN EXECUTE 'DROP TRIGGER never_truncated ON gatehouse.audit_log_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMM'); END $$`,
      'never_truncated',
    ],
    ['row security', 'ALTER TABLE gatehouse.audit_payload DISABLE ROW LEVEL SECURITY', 'audit_payload'],
    ['partitions', 'CREATE TABLE gatehouse.audit_log_rest PARTITION OF gatehouse.audit_log DEFAULT', 'audit_log_rest'],
    [
      'partitions',
      `DO $$ BEGIN EXECUTE 'GRANT SELECT ON gatehouse.audit_log_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMM') || ' TO PUBLIC'; END $$`,
      'audit_log_2',
    ],
    [
      'foreign keys',
      'CREATE TABLE public.pet (batch uuid, seq bigint, CONSTRAINT pet_batch FOREIGN KEY (batch, seq) REFERENCES gatehouse.audit_batch)',
      'pet_batch',
    ],
    [
      'months',
      `DO $$ DECLARE p regclass; BEGIN FOR p IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'gatehouse.audit_log'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$`,
      'ensure_month',
    ],
    [
      'seal',
      `INSERT INTO gatehouse.audit_checkpoint VALUES (1, sha256(''), 'note'); INSERT INTO gatehouse.audit_batch VALUES
        (gen_random_uuid(), 1, 1, 1, gen_random_uuid(), gen_random_uuid(), sha256(''), now() - interval '2 minutes')`,
      '1 batches are not',
    ],
  ])('names what is wrong with the %s', async (check, harm, named) => {
    await test.source.query(harm);
    const found = (await doctor())[check];
    expect([found?.verdict, found?.detail]).toEqual(['problem', expect.stringContaining(named)]);
  });
});
