import { DataSource } from 'typeorm';
import { examine } from '../../libs/gatehouse/src/persistence/postgres/doctor/examine.js';
import type { Finding } from '../../libs/gatehouse/src/persistence/postgres/doctor/finding.js';
import { rolesScript } from '../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

const SWALLOW = `CREATE FUNCTION gatehouse.swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';`;
const RETURNS_NEW = `CREATE OR REPLACE FUNCTION gatehouse.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`;
const month = (statement: string): string =>
  `DO $$ BEGIN EXECUTE format('${statement}', to_char(now() AT TIME ZONE 'UTC', 'YYYYMM')); END $$`;

describe('the doctor, of an attack', () => {
  let test: OpenedDatabase;
  const examined = async (source: DataSource = test.source): Promise<Readonly<Record<string, Finding>>> => {
    const findings = await examine(
      <Row>(text: string, values: readonly unknown[] = []) => source.query<Row[]>(text, [...values]),
      'gatehouse',
    );
    return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
  };
  const problems = async (): Promise<readonly string[]> =>
    Object.values(await examined())
      .filter(({ verdict, check }) => verdict === 'problem' && check !== 'server')
      .map(({ check }) => check);
  beforeEach(async () => {
    test = await openDatabase();
    await test.source.query(rolesScript('gatehouse'));
  });
  afterEach(() => test.close());

  it('finds what the migrations and the script of roles make in order', async () => {
    expect(await problems()).toEqual([]);
    const { tables, functions, views } = await examined();
    expect([tables?.verdict, functions?.verdict, views?.verdict]).toEqual(['ok', 'ok', 'ok']);
  });

  it.each([
    ['functions', 'a function that no longer refuses', RETURNS_NEW, 'refuse_change'],
    [
      'functions',
      'a function that runs with other rights',
      'ALTER FUNCTION gatehouse.ensure_month SECURITY INVOKER',
      'ensure_month',
    ],
    [
      'functions',
      'a function that looks names up elsewhere',
      'ALTER FUNCTION gatehouse.drop_month SET search_path = public',
      'drop_month',
    ],
    [
      'triggers',
      'facts of approvals that go nowhere',
      'ALTER TABLE gatehouse.approval_event DISABLE TRIGGER approval_event_fact',
      'approval_event.approval_event_fact',
    ],
    [
      'triggers',
      'approvals without history',
      'ALTER TABLE gatehouse.approval_request DISABLE TRIGGER ALL',
      'approval_request.approval_request_history',
    ],
    [
      'triggers',
      'votes without history',
      'DROP TRIGGER approval_vote_history ON gatehouse.approval_vote',
      'approval_vote.approval_vote_history is missing',
    ],
    [
      'triggers',
      'a trigger that calls another function',
      `${SWALLOW} CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON gatehouse.audit_batch
      FOR EACH ROW EXECUTE FUNCTION gatehouse.swallow(); ALTER TABLE gatehouse.audit_batch ENABLE ALWAYS TRIGGER append_only`,
      'audit_batch.append_only',
    ],
    [
      'triggers',
      'a trigger with a condition',
      `CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE ON gatehouse.audit_batch
      FOR EACH ROW WHEN (false) EXECUTE FUNCTION gatehouse.refuse_change(); ALTER TABLE gatehouse.audit_batch ENABLE ALWAYS TRIGGER append_only`,
      'audit_batch.append_only',
    ],
    [
      'triggers',
      'records that are swallowed',
      `${SWALLOW} CREATE TRIGGER aaa BEFORE INSERT ON gatehouse.audit_log FOR EACH ROW EXECUTE FUNCTION gatehouse.swallow()`,
      'audit_log.aaa is not of Gatehouse',
    ],
    [
      'triggers',
      'facts that are swallowed',
      `${SWALLOW} CREATE TRIGGER aaa BEFORE INSERT ON gatehouse.evidence_outbox FOR EACH ROW EXECUTE FUNCTION gatehouse.swallow()`,
      'evidence_outbox.aaa',
    ],
    [
      'triggers',
      'a rule in the way',
      'CREATE RULE nothing AS ON INSERT TO gatehouse.evidence_outbox DO INSTEAD NOTHING',
      'evidence_outbox.nothing is a rule',
    ],
    [
      'row security',
      'a policy that shows everything',
      'CREATE POLICY leak ON gatehouse.audit_log FOR SELECT USING (true)',
      'audit_log.leak',
    ],
    [
      'row security',
      'a policy that hides from the auditor',
      'CREATE POLICY hide ON gatehouse.audit_log AS RESTRICTIVE FOR SELECT TO gatehouse_auditor USING (false)',
      'audit_log.hide',
    ],
    [
      'row security',
      'a policy that was widened',
      'ALTER POLICY own_organization ON gatehouse.audit_payload USING (true)',
      'audit_payload.own_organization',
    ],
    [
      'row security',
      'a policy for more roles',
      'ALTER POLICY read_all ON gatehouse.audit_log TO PUBLIC',
      'audit_log.read_all',
    ],
    [
      'row security',
      'row security where none belongs',
      'ALTER TABLE gatehouse.evidence_writer ENABLE ROW LEVEL SECURITY',
      'on for evidence_writer',
    ],
    [
      'views',
      'a view with the rights of its owner',
      'ALTER VIEW gatehouse.tool_execution RESET (security_invoker)',
      'tool_execution is not security_invoker',
    ],
    ['views', 'a view that is gone', 'DROP VIEW gatehouse.run_timeline', 'run_timeline is missing'],
    [
      'views',
      'a view that shows something else',
      `DO $$ DECLARE query text := pg_get_viewdef('gatehouse.terminal_record'::regclass); BEGIN EXECUTE
        'CREATE OR REPLACE VIEW gatehouse.terminal_record WITH (security_invoker = true) AS ' || replace(query, '''run.terminal''', '''nothing'''); END $$`,
      'terminal_record',
    ],
    [
      'tables',
      'a partition that a crash empties',
      month('ALTER TABLE gatehouse.audit_payload_%s SET UNLOGGED'),
      'is not logged',
    ],
    [
      'tables',
      'a table that became a view',
      'ALTER TABLE gatehouse.evidence_writer RENAME TO real; CREATE VIEW gatehouse.evidence_writer AS SELECT * FROM gatehouse.real WHERE false',
      'evidence_writer is no table',
    ],
    [
      'partitions',
      'a partition of more than its month',
      `CREATE TABLE gatehouse.audit_log_209901 PARTITION OF gatehouse.audit_log
      FOR VALUES FROM (gatehouse.uuid_floor('2090-01-01Z')) TO (gatehouse.uuid_floor('2099-02-01Z'))`,
      'audit_log_209901',
    ],
    [
      'grants',
      'a right on one column',
      'GRANT UPDATE (status) ON gatehouse.audit_log TO gatehouse_writer',
      `'gatehouse_writer': UPDATE (status) on audit_log`,
    ],
    [
      'grants',
      'whoever may let months go',
      'GRANT EXECUTE ON FUNCTION gatehouse.drop_month TO gatehouse_writer',
      `'gatehouse_writer': EXECUTE on drop_month`,
    ],
    [
      'grants',
      'a right of everybody',
      'GRANT DELETE ON gatehouse.audit_tile TO PUBLIC',
      'everybody: DELETE on audit_tile',
    ],
  ])('%s: names %s', async (check, _, harm, named) => {
    await test.source.query(harm);
    const found = (await examined())[check];
    expect([found?.verdict, found?.detail]).toEqual(['problem', expect.stringContaining(named)]);
  });

  it('says so where it may not compare the views', async () => {
    const login = `auditor_${newId().replaceAll('-', '').slice(-12)}`;
    await test.source.query(`CREATE ROLE ${login} LOGIN PASSWORD 'x' IN ROLE gatehouse_auditor`);
    const url = new URL(test.url);
    [url.username, url.password] = [login, 'x'];
    const source = await new DataSource({ type: 'postgres', url: url.href }).initialize();
    expect((await examined(source))['views']?.verdict).toBe('ok');
    await test.source.query(`REVOKE TEMPORARY ON DATABASE "${url.pathname.slice(1)}" FROM PUBLIC`);
    const { verdict, detail } = (await examined(source))['views'] ?? {};
    expect([verdict, detail]).toEqual(['warning', expect.stringContaining('42501')]);
    await source.destroy();
  });
});
