import { Client } from 'pg';
import { v7 } from 'uuid';
import { rolesScript } from '../../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import { leafExpression } from '../../../libs/gatehouse/src/persistence/postgres/ledger/leaf.expression.js';
import { PostgresEvidenceLog } from '../../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { verifiedState } from '../../../libs/gatehouse/src/audit/verify/verified.state.js';
import { newId } from '../../../libs/gatehouse/src/values/ids.js';
import { gapEntry } from '../../../libs/gatehouse/src/values/ledger/gap.entry.js';
import { writerEntry } from '../../../libs/gatehouse/src/values/ledger/writer.entry.js';
import { seal, sealedTemplate, someEntries, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

interface Writer {
  readonly id: string;
  readonly last: number;
}

describe('verify finds what is put beside the seal, and what is kept from it', () => {
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
  const found = async (options = {}) => {
    const { report } = await evidence.verify(options);
    return [report.outcome, ...[...report.faults, ...report.shortfalls].map(({ kind, place }) => [kind, place.seq])];
  };
  const writer = async (): Promise<Writer> => {
    const [row] = await sql<{ id: string; last: number }>(
      'SELECT id, last_seq::integer AS last FROM gatehouse.evidence_writer ORDER BY id LIMIT 1',
    );
    return row as Writer;
  };
  const plant = async ({ id }: Writer, seq: number, recordedAt: string, client: Client = evidence.client) => {
    const record = v7();
    await client.query(
      `INSERT INTO gatehouse.audit_log (id, kind, at, principal_id, tool_name, writer_id, seq, idx) VALUES ($1, 'tool.executed', now(), 'framed', 'refund', $2, $3, 0)`,
      [record, id, seq],
    );
    await client.query(
      `INSERT INTO gatehouse.audit_batch (writer_id, seq, codec, count, first_id, last_id, root, recorded_at)
        SELECT writer_id, seq, 1, 1, id, id, ${leafExpression('l')}, ${recordedAt} FROM gatehouse.audit_log l WHERE id = $1`,
      [record],
    );
  };

  it('a batch that says it is of the future, planted with the rights of who writes', async () => {
    await sql(rolesScript('gatehouse'));
    const login = `verify_writer_${newId().replaceAll('-', '')}`;
    await sql(`CREATE ROLE ${login} LOGIN PASSWORD 'w' IN ROLE gatehouse_writer`);
    const url = new URL(evidence.url);
    [url.username, url.password] = [login, 'w'];
    const client = new Client({ connectionString: url.href });
    await client.connect();
    const { id, last } = await writer();
    await plant({ id, last }, last + 1, `'2099-01-01Z'`, client);
    await client.end();
    expect(await found()).toEqual(['tampered', ['batch added', last + 1], ['batch added', last + 1]]);
    await sql(`UPDATE gatehouse.evidence_writer SET state = 'open', seen_at = now() WHERE id = $1`, [id]);
    await sql(`DELETE FROM gatehouse.audit_log WHERE kind = 'writer' AND status = 'closed' AND writer_id = $1`, [id]);
    expect(await found()).toContainEqual(['batch added', last + 1]);
    await sql(`DROP OWNED BY ${login}; DROP ROLE ${login}`);
  });

  it('a batch of a writer that has ended, however young', async () => {
    const one = await writer();
    await plant(one, one.last + 1, 'now()');
    expect(await found()).toEqual(['tampered', ['batch added', one.last + 1]]);
    await sql('DELETE FROM gatehouse.evidence_writer WHERE id = $1', [one.id]);
    expect(await found()).toContainEqual(['unsealed batch', one.last + 1]);
  });

  it('a batch of a writer that was given up: it may have come back late, and nobody seals it', async () => {
    const one = await writer();
    await sql(`UPDATE gatehouse.evidence_writer SET state = 'lost' WHERE id = $1`, [one.id]);
    await sql(`DELETE FROM gatehouse.audit_log WHERE kind = 'writer' AND status = 'closed' AND writer_id = $1`, [
      one.id,
    ]);
    await plant(one, one.last + 1, 'now()');
    expect(await found({ level: 'batches' })).toEqual([
      'incomplete',
      ['lost writer', one.last + 1],
      ['unsealed batch', one.last + 1],
    ]);
  });

  it('a batch that does not follow the last that is sealed', async () => {
    const one = await writer();
    await plant(one, one.last + 3, 'now()');
    expect(await found()).toContainEqual(['missing batch', one.last + 1]);
    await sql('DELETE FROM gatehouse.audit_leaf WHERE (writer_id, seq) = ($1, 2)', [one.id]);
    expect(await found()).toContainEqual(['batch out of order', 2]);
  });

  /** A batch beyond the anchor: with an id of an hour ago, and one record that happened at this instant. */
  const anchored = (at: Date): Promise<SealedTemplate> =>
    sealedTemplate(async (test) => {
      const log = new PostgresEvidenceLog(test.database);
      log.open({ host: 'h', pid: 1, version: '0' });
      await log.append(someEntries([newId()]));
      const note = await seal(test);
      const id = v7({ msecs: Date.now() - 3_600_000 });
      await log.append([{ record: { id, kind: 'operation.finished', at, principalId: 'eve' }, payload: null }]);
      await seal(test);
      await log.close(5000);
      await seal(test);
      return note;
    });

  it('an anchor that is a moment behind pins what is over now, and began an hour ago', async () => {
    const waited = await anchored(new Date());
    const copy = await waited.clone();
    expect((await copy.verify()).report).toMatchObject({ outcome: 'ok', tailPinned: true });
    await copy.drop();
    await waited.drop();
  });

  it('an anchor that is behind pins no tail, whatever the stored times of the checkpoints are', async () => {
    const [first] = await sql<{ note: string }>(
      'SELECT note FROM gatehouse.audit_checkpoint ORDER BY tree_size LIMIT 1',
    );
    const anchors = [{ name: 'old', note: first?.note ?? '' }];
    const behind = await anchored(new Date(Date.now() - 3_600_000));
    const copy = await behind.clone();
    for (const forged of ['now()', `now() + interval '10 years'`]) {
      await copy.client.query(`UPDATE gatehouse.audit_checkpoint SET created_at = ${forged}`);
      for (const level of ['checkpoints', 'payloads'] as const)
        expect((await copy.verify({ level })).report).toMatchObject({ outcome: 'incomplete', tailPinned: false });
    }
    await copy.drop();
    await behind.drop();
    expect((await evidence.verify({ anchors })).report).toMatchObject({ outcome: 'ok', tailPinned: true });
    await sql(`UPDATE gatehouse.audit_checkpoint SET created_at = now() + interval '10 years'`);
    expect((await evidence.verify({ anchors })).report).toMatchObject({ outcome: 'incomplete', tailPinned: false });
  });

  it.each([
    ['its row is gone', 'DELETE FROM gatehouse.evidence_writer WHERE id = $1', 'silent writer'],
    [
      'its row says that it ended',
      `UPDATE gatehouse.evidence_writer SET state = 'closed' WHERE id = $1`,
      'silent writer',
    ],
    [
      'its row says that it is lost',
      `UPDATE gatehouse.evidence_writer SET state = 'lost' WHERE id = $1`,
      'lost writer',
    ],
    [
      'its row says that it lives in the future',
      `UPDATE gatehouse.evidence_writer SET seen_at = now() + interval '1 year' WHERE id = $1`,
      'silent writer',
    ],
  ])('a writer that was killed: %s', async (_, change, kind) => {
    const killed = await sealedTemplate(async (test) => {
      const log = new PostgresEvidenceLog(test.database);
      log.open({ host: 'h', pid: 1, version: '0' });
      await log.append(someEntries([newId()]));
      const note = await seal(test);
      // Its connections go; it says no word of it.
      await test.source.query(`UPDATE gatehouse.evidence_writer SET seen_at = now()`);
      await log['pool'].close(1000);
      return note;
    });
    const copy = await killed.clone();
    expect((await copy.verify()).report.outcome).toBe('ok');
    const { rows } = await copy.client.query<{ id: string }>('SELECT id FROM gatehouse.evidence_writer');
    await copy.client.query(change, [rows[0]?.id]);
    const { report } = await copy.verify();
    expect(report).toMatchObject({ outcome: 'incomplete', faults: [] });
    expect(report.shortfalls.map((one) => [one.kind, one.place.writerId])).toEqual([[kind, rows[0]?.id]]);
    await copy.drop();
    await killed.drop();
  });

  it('facts that nobody moves into the log, and erasures that are not sealed', async () => {
    const fact = (ago: string, kind: string, at = 'now()') =>
      sql(
        `INSERT INTO gatehouse.evidence_outbox (id, kind, at, principal_id)
          VALUES (overlay(gatehouse.uuid_v7()::text PLACING left(gatehouse.uuid_floor(now() - $1::interval)::text, 13) FROM 1)::uuid, $2, ${at}, 'ann')`,
        [ago, kind],
      );
    await fact('0', 'erased');
    const { report } = await evidence.verify();
    expect(report.outcome).toBe('ok');
    expect(report.unchecked.filter((what) => what.startsWith('1 erasures against a signature'))).toHaveLength(1);
    await fact('5 hours', 'run.started', `now() - interval '5 hours'`);
    const late = (await evidence.verify()).report;
    expect(late).toMatchObject({ outcome: 'incomplete', faults: [] });
    expect(late.shortfalls).toMatchObject([{ kind: 'waiting facts', amount: 2 }]);
    await sql('DELETE FROM gatehouse.evidence_outbox');
    await fact('-1 year', 'run.started');
    expect(await found()).toEqual(['incomplete', ['waiting facts', undefined]]);
    await sql('DELETE FROM gatehouse.evidence_outbox');
    await fact('0', 'erased', `'2999-01-01Z'`);
    await sql(
      `DELETE FROM gatehouse.audit_payload WHERE id = (SELECT id FROM gatehouse.audit_log WHERE principal_id = 'ann' AND payload_commitment IS NOT NULL LIMIT 1)`,
    );
    expect((await evidence.verify()).report.faults.map(({ kind }) => kind)).toEqual(['payload missing']);
  });

  it('an anchor that cannot be read is an error, and not a finding about the database', async () => {
    for (const note of ['', 'garbage', template.note.replaceAll('\n', '\r\n'), template.note.slice(0, -20)])
      await expect(evidence.verify({ anchors: [{ name: 'copy', note }] })).rejects.toThrow(
        "The anchor 'copy' cannot be read.",
      );
  });

  it('what an earlier verification told of is not told again', async () => {
    const lost = newId();
    const gap = {
      status: 'overflow',
      amount: 7,
      firstId: newId(),
      lastId: newId(),
      since: new Date(),
      reason: 'full',
    } as const;
    const told = await sealedTemplate(async (test) => {
      const log = new PostgresEvidenceLog(test.database);
      log.open({ host: 'h', pid: 1, version: '0' });
      await log.append([gapEntry(gap, new Date()), writerEntry('lost', lost, 3, new Date())]);
      await log.close(5000);
      return seal(test);
    });
    const copy = await told.clone();
    const first = await copy.verify();
    expect(first.report).toMatchObject({ outcome: 'incomplete', counts: { shortfalls: 2 } });
    const again = await copy.verify({ since: verifiedState(JSON.stringify(first.state)) });
    expect(again.report).toMatchObject({ outcome: 'ok', shortfalls: [] });
    await copy.drop();
    await told.drop();
  });

  it('reads to the end whatever limits the database sets for its sessions', async () => {
    const name = new URL(evidence.url).pathname.slice(1);
    const { rows } = await evidence.client.query<{ name: string }>(
      `SELECT name FROM pg_settings WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout', 'statement_timeout') ORDER BY name`,
    );
    for (const [setting, value] of [
      ...rows.map((row) => [row.name, `'20ms'`] as const),
      ['standard_conforming_strings', 'off'] as const,
      ['search_path', `'gatehouse'`] as const,
    ]) {
      await sql(`ALTER DATABASE "${name}" SET ${setting} = ${value}`);
      expect((await evidence.verify()).report.outcome).toBe('ok');
      await sql(`ALTER DATABASE "${name}" RESET ALL`);
    }
  });
});
