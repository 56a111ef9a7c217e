import { v7 } from 'uuid';
import { rolesScript } from '../../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import type { VerifyReport } from '../../../libs/gatehouse/src/audit/verify/verify.report.js';
import { newId } from '../../../libs/gatehouse/src/values/ids.js';
import { boundsOf } from '../../../libs/gatehouse/src/values/ledger/log.month.js';
import { sealedTemplate, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

const VIEWED = `ALTER TABLE gatehouse.audit_payload RENAME TO payload_real;
  CREATE VIEW gatehouse.audit_payload AS SELECT id, organization_id, salt,
    CASE WHEN current_setting('application_name') = 'gatehouse verify' THEN body ELSE 'forged'::bytea END AS body FROM gatehouse.payload_real`;

// A cast that says of each record what whoever sealed it said, and fails where it is run.
const CAST = `DO $$ DECLARE v regclass; BEGIN
    FOR v IN SELECT oid FROM pg_class WHERE relnamespace = 'gatehouse'::regnamespace AND relkind = 'v' ORDER BY oid DESC
    LOOP EXECUTE format('DROP VIEW %s CASCADE', v); END LOOP; END $$;
  CREATE TYPE gatehouse.word AS ENUM ('success', 'failure', 'completed', 'opened', 'closed');
  CREATE FUNCTION gatehouse.said(gatehouse.word) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the cast was run'; END $$;
  CREATE CAST (gatehouse.word AS text) WITH FUNCTION gatehouse.said(gatehouse.word) AS IMPLICIT;
  ALTER TABLE gatehouse.audit_log ALTER COLUMN status TYPE gatehouse.word USING 'success'::gatehouse.word`;

describe('verify holds the tables against what was made', () => {
  let template: SealedTemplate;
  let evidence: ClonedEvidence;
  beforeAll(async () => {
    template = await sealedTemplate();
  });
  afterAll(() => template.drop());
  beforeEach(async () => {
    evidence = await template.clone();
  });
  afterEach(() => evidence.drop());

  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await evidence.client.query<Row>(text, [...values])).rows;
  const told = ({ faults }: VerifyReport) => faults.map(({ kind, place, message }) => ({ kind, place, message }));
  const forgedIn = async (month: string): Promise<string> => {
    const id = v7({ msecs: Date.parse(`${month.slice(0, 4)}-${month.slice(4)}-05T00:00:00Z`) });
    await sql(
      `INSERT INTO gatehouse.audit_log (id, kind, at, writer_id, seq, idx) SELECT $1, 'read', now(), writer_id, 999, 0 FROM gatehouse.audit_batch LIMIT 1`,
      [id],
    );
    return id;
  };

  it.each([
    ['a view for the payloads', VIEWED, '"gatehouse".audit_payload is no partitioned table any more'],
    [
      'a view for the writers',
      'ALTER TABLE gatehouse.evidence_writer RENAME TO w; CREATE VIEW gatehouse.evidence_writer AS SELECT * FROM gatehouse.w WHERE false',
      '"gatehouse".evidence_writer is no table any more',
    ],
    [
      'a type with a cast of its own',
      CAST,
      '"gatehouse".audit_log has a column status of the type word (not a built-in one)',
    ],
    [
      'a domain that is called as the type',
      `CREATE DOMAIN gatehouse.text AS pg_catalog.text; ALTER TABLE gatehouse.audit_checkpoint ALTER COLUMN note TYPE gatehouse.text`,
      '"gatehouse".audit_checkpoint has a column note of the type text (not a built-in one)',
    ],
    [
      'a comparison of its own',
      `CREATE COLLATION gatehouse.lax (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
        ALTER TABLE gatehouse.evidence_writer ALTER COLUMN host TYPE text, ALTER COLUMN state TYPE text COLLATE gatehouse.lax`,
      '"gatehouse".evidence_writer has a column state that is computed, or compared by rules of its own',
    ],
    [
      'row-level security where there is none',
      'ALTER TABLE gatehouse.evidence_writer ENABLE ROW LEVEL SECURITY',
      '"gatehouse".evidence_writer has row-level security',
    ],
    [
      'a restrictive policy',
      `CREATE POLICY hide ON gatehouse.audit_log AS RESTRICTIVE FOR SELECT USING (principal_id <> 'ann')`,
      '"gatehouse".audit_log has a restrictive policy',
    ],
    [
      'a rule',
      'CREATE RULE nothing AS ON UPDATE TO gatehouse.evidence_writer DO INSTEAD NOTHING',
      '"gatehouse".evidence_writer has a rule',
    ],
    [
      'a table that inherits',
      'CREATE TABLE gatehouse.more () INHERITS (gatehouse.audit_batch)',
      '"gatehouse".audit_batch has tables that inherit from it',
    ],
  ])('%s: nothing is read through it', async (_, change, message) => {
    await sql(change);
    const { report, state } = await evidence.verify();
    expect(report.outcome).toBe('tampered');
    expect(told(report)).toEqual([
      { kind: 'schema changed', place: {}, message: expect.stringContaining(message) as string },
    ]);
    expect(report.counts).toMatchObject({ batches: 0, records: 0, faults: 1 });
    expect(report.unchecked.filter((what) => what.startsWith('anything that is stored'))).toHaveLength(1);
    expect(state).toBeUndefined();
  });

  it('names a partition that has another month than its name, and the record in it', async () => {
    const { low, high } = boundsOf('203101');
    await sql(
      `CREATE TABLE gatehouse.audit_log_205001 PARTITION OF gatehouse.audit_log FOR VALUES FROM ('${low}') TO ('${high}')`,
    );
    const id = await forgedIn('203101');
    const { report } = await evidence.verify();
    expect(told(report)).toEqual([
      {
        kind: 'schema changed',
        place: { month: '205001' },
        message: expect.stringContaining('audit_log_205001') as string,
      },
      expect.objectContaining({
        kind: 'record added',
        place: expect.objectContaining({ id, month: '203101' }) as object,
      }),
    ]);
  });

  it('names a partition that has more than the month of its name', async () => {
    const [last] = await sql<{ name: string }>(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'gatehouse.audit_log'::regclass
        ORDER BY c.relname DESC LIMIT 1`,
    );
    const month = last?.name.slice(-6) ?? '';
    await sql(`ALTER TABLE gatehouse.audit_log DETACH PARTITION gatehouse.audit_log_${month};
      ALTER TABLE gatehouse.audit_log ATTACH PARTITION gatehouse.audit_log_${month} FOR VALUES FROM ('${boundsOf(month).low}') TO (MAXVALUE)`);
    expect(told((await evidence.verify()).report)).toMatchObject([{ kind: 'schema changed', place: { month } }]);
    const id = await forgedIn('209901');
    expect((await evidence.verify()).report.faults.map(({ place }) => place.id)).toEqual([undefined, id]);
  });

  it.each(['audit_payload_202501', 'audit_payload_elsewhere'])(
    'names %s, which no month of the log has',
    async (name) => {
      const { low, high } = boundsOf('202501');
      await sql(
        `CREATE TABLE gatehouse.${name} PARTITION OF gatehouse.audit_payload FOR VALUES FROM ('${low}') TO ('${high}')`,
      );
      const { report } = await evidence.verify();
      expect(report.outcome).toBe('tampered');
      expect(told(report)).toMatchObject([
        { kind: 'schema changed', message: expect.stringContaining(name) as string },
      ]);
    },
  );

  it('takes what the application and its administrators make for what it is', async () => {
    await sql(`SELECT gatehouse.ensure_month('2024-02-10Z'), gatehouse.ensure_month('2024-12-31T23:59:59.999Z')`);
    await sql(`CREATE INDEX ON gatehouse.audit_log (agent); ALTER TABLE gatehouse.audit_batch ADD COLUMN note text;
      ALTER TABLE gatehouse.audit_leaf SET (fillfactor = 90); ALTER TABLE gatehouse.audit_log FORCE ROW LEVEL SECURITY`);
    expect((await evidence.verify()).report).toMatchObject({ outcome: 'ok', faults: [], shortfalls: [] });
  });

  it('an auditor from whom a policy hides one writer is told so, and is told nothing where it sees all', async () => {
    await sql(rolesScript('gatehouse'));
    const login = `verify_auditor_${newId().replaceAll('-', '')}`;
    await sql(`CREATE ROLE ${login} LOGIN PASSWORD 'a' IN ROLE gatehouse_auditor`);
    const url = new URL(evidence.url);
    [url.username, url.password] = [login, 'a'];
    expect((await evidence.verify({}, url.href)).report).toMatchObject({ outcome: 'ok', faults: [] });
    await sql(
      `CREATE POLICY hide ON gatehouse.audit_log AS RESTRICTIVE FOR SELECT TO gatehouse_auditor USING (kind <> 'read')`,
    );
    const { report } = await evidence.verify({}, url.href);
    expect(told(report)).toMatchObject([
      { kind: 'schema changed', message: expect.stringContaining('restrictive') as string },
    ]);
    await sql(`DROP OWNED BY ${login}; DROP ROLE ${login}`);
  });
});
