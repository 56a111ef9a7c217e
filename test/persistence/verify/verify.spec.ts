import type { Fault } from '../../../libs/gatehouse/src/audit/verify/verify.report.js';
import { signCheckpoint } from '../../../libs/gatehouse/src/values/transparency/checkpoint.js';
import { generateEd25519Key } from '../../../libs/gatehouse/src/values/transparency/ed25519.keys.js';
import { headerOf, type BatchRow } from '../../../libs/gatehouse/src/persistence/postgres/ledger/checkpoint.rows.js';
import { batchRoot, prepareEntry } from '../../../libs/gatehouse/src/values/ledger/batch.preparation.js';
import { PostgresEvidenceLog } from '../../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { gapEntry } from '../../../libs/gatehouse/src/values/ledger/gap.entry.js';
import { writerEntry } from '../../../libs/gatehouse/src/values/ledger/writer.entry.js';
import { newId } from '../../../libs/gatehouse/src/values/ids.js';
import { ORIGIN, seal, sealedTemplate, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

describe('verify', () => {
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
  const heads = () =>
    sql<{ tree_size: string; root: Buffer; note: string }>(
      'SELECT tree_size, root, note FROM gatehouse.audit_checkpoint ORDER BY tree_size',
    );
  const resign = async (treeSize: string, root: Buffer, name = ORIGIN): Promise<void> => {
    const note = await signCheckpoint({ origin: ORIGIN, size: Number(treeSize), root }, [
      generateEd25519Key(name).signer,
    ]);
    await sql('UPDATE gatehouse.audit_checkpoint SET root = $2, note = $3 WHERE tree_size = $1', [
      treeSize,
      root,
      note,
    ]);
  };
  const kinds = (faults: readonly Fault[]): string[] => [...new Set(faults.map(({ kind }) => kind))];

  it('says ok of what nobody touched, pinned by an anchor', async () => {
    const { report, state } = await evidence.verify();
    const [counted] = await sql<{ records: number; payloads: number; batches: number }>(
      `SELECT (SELECT count(*) FROM gatehouse.audit_log)::integer AS records, (SELECT count(*) FROM gatehouse.audit_payload)::integer AS payloads,
        (SELECT count(*) FROM gatehouse.audit_batch)::integer AS batches`,
    );
    expect(report).toMatchObject({ outcome: 'ok', tailPinned: true, faults: [], shortfalls: [] });
    expect(report.counts).toEqual({
      checkpoints: 5,
      unsealedBatches: 0,
      erased: 0,
      faults: 0,
      shortfalls: 0,
      ...counted,
    });
    expect(report.log).toMatchObject({
      origin: ORIGIN,
      size: counted?.batches,
      pinnedSize: counted?.batches,
      since: 0,
    });
    expect(state?.size).toBe(counted?.batches);
  });

  it('is incomplete without an anchor, unless that is allowed', async () => {
    const { report } = await evidence.verify({ anchors: [] });
    expect(report).toMatchObject({ outcome: 'incomplete', tailPinned: false });
    expect(report.shortfalls.map(({ kind }) => kind)).toEqual(['unpinned tail']);
    const allowed = await evidence.verify({ anchors: [], allowUnpinned: true });
    expect(allowed.report).toMatchObject({ outcome: 'ok', tailPinned: false });
  });

  it('does not call the tail pinned by an anchor that is older than a minute, and behind', async () => {
    const [oldest] = await heads();
    await sql(`UPDATE gatehouse.audit_checkpoint SET created_at = created_at - interval '2 minutes'`);
    const { report } = await evidence.verify({ anchors: [{ name: 'old', note: oldest?.note ?? '' }] });
    expect(report).toMatchObject({ outcome: 'incomplete', tailPinned: false });
    expect(report.log.pinnedSize).toBe(Number(oldest?.tree_size));
  });

  it('believes nobody it was not told to believe', async () => {
    const stranger = generateEd25519Key(ORIGIN);
    const { report } = await evidence.verify({ keys: [stranger.verifierKey] });
    expect(report).toMatchObject({ outcome: 'untrusted', faults: [] });
    await expect(async () => evidence.verify({ keys: [] })).rejects.toThrow('Without a key');
  });

  it.each(['example.com/audit', 'example.com/other'])(
    'does not believe the newest checkpoint of another key named %s',
    async (name) => {
      const newest = (await heads()).at(-1);
      await resign(newest?.tree_size ?? '', newest?.root ?? Buffer.alloc(0), name);
      const { report } = await evidence.verify({ anchors: [] });
      expect(report.outcome).toBe('untrusted');
      expect(report.unchecked.filter((what) => what.includes(`from ${newest?.tree_size} batches on`))).toHaveLength(1);
    },
  );

  it('finds a forged checkpoint between true ones', async () => {
    const middle = (await heads())[2];
    await resign(middle?.tree_size ?? '', middle?.root ?? Buffer.alloc(0));
    const { report } = await evidence.verify();
    expect(report.faults).toEqual([
      expect.objectContaining({ kind: 'checkpoint by an unknown key', place: { treeSize: Number(middle?.tree_size) } }),
    ]);
  });

  it('takes an old key before the new one for what it is', async () => {
    const [first] = await heads();
    await resign(first?.tree_size ?? '', first?.root ?? Buffer.alloc(0));
    const { report } = await evidence.verify();
    expect(report).toMatchObject({ outcome: 'ok', faults: [] });
    expect(report.unchecked.filter((what) => what.includes('first 1 checkpoints'))).toHaveLength(1);
  });

  it('finds a changed stored subtree', async () => {
    await sql(`INSERT INTO gatehouse.audit_tile (level, index, hash) VALUES (8, 0, sha256('forged'))`);
    const { report } = await evidence.verify();
    expect(kinds(report.faults)).toEqual(['subtree changed']);
  });

  it('finds a batch that is right in itself and that nobody sealed: at once without a writer, after a minute with one', async () => {
    const entry = prepareEntry({
      record: { id: newId(), kind: 'read', at: new Date(), principalId: 'forged' },
      payload: null,
    });
    const forge = async (writerId: string, seq: number, age: string): Promise<void> => {
      const { id } = entry.entry.record;
      await sql(
        `INSERT INTO gatehouse.audit_batch (writer_id, seq, codec, count, first_id, last_id, root, recorded_at)
          VALUES ($1, $2, 1, 1, $3, $3, $4, now() - $5::interval)`,
        [writerId, seq, id, batchRoot([entry]), age],
      );
      await sql(
        `INSERT INTO gatehouse.audit_log (id, kind, at, principal_id, writer_id, seq, idx) VALUES ($1, 'read', $2, 'forged', $3, $4, 0)`,
        [id, entry.entry.record.at, writerId, seq],
      );
    };
    const stranger = newId();
    await forge(stranger, 1, '0');
    const { report } = await evidence.verify();
    expect(report).toMatchObject({ outcome: 'incomplete', faults: [] });
    expect(report.shortfalls).toEqual([
      expect.objectContaining({
        kind: 'unsealed batch',
        place: { writerId: stranger, seq: 1, id: entry.entry.record.id },
      }),
    ]);
    await sql('DELETE FROM gatehouse.audit_batch WHERE writer_id = $1', [stranger]);
    await sql('DELETE FROM gatehouse.audit_log WHERE writer_id = $1', [stranger]);
    const [last] = await sql<BatchRow>('SELECT * FROM gatehouse.audit_batch ORDER BY writer_id, seq DESC LIMIT 1');
    const { writerId, seq } = headerOf(last as BatchRow);
    await forge(writerId, seq + 1, '2 minutes');
    const later = await evidence.verify();
    expect(later.report.shortfalls).toEqual([
      expect.objectContaining({ kind: 'unsealed batch', place: { writerId, seq: seq + 1, id: entry.entry.record.id } }),
    ]);
  });

  it('tells silent writers, and batches that a writer says it wrote', async () => {
    const [one, two] = await sql<{ id: string; last_seq: string }>(
      'SELECT id, last_seq FROM gatehouse.evidence_writer ORDER BY id',
    );
    await sql(`UPDATE gatehouse.evidence_writer SET state = 'open', seen_at = now() - interval '90 s' WHERE id = $1`, [
      one?.id,
    ]);
    await sql('UPDATE gatehouse.evidence_writer SET last_seq = last_seq + 2 WHERE id = $1', [two?.id]);
    const { report } = await evidence.verify();
    expect(report.outcome).toBe('incomplete');
    expect(report.shortfalls.map(({ kind, place }) => [kind, place.writerId, place.seq])).toEqual([
      ['silent writer', one?.id, Number(one?.last_seq)],
      ['missing batch', two?.id, Number(two?.last_seq) + 1],
    ]);
  });

  it('counts a payload that an erasure covers, and only where the erasure came later', async () => {
    const erase = (at: string) =>
      sql(
        `INSERT INTO gatehouse.evidence_outbox (id, kind, at, principal_id, amount) VALUES (gatehouse.uuid_v7(), 'erased', ${at}, 'ben', 1)`,
      );
    const [gone] = await sql<{ count: number }>(
      `WITH gone AS (DELETE FROM gatehouse.audit_payload p USING gatehouse.audit_log l WHERE l.id = p.id AND l.principal_id = 'ben' RETURNING 1)
        SELECT count(*)::integer AS count FROM gone`,
    );
    expect(gone?.count).toBeGreaterThan(0);
    await erase(`'2001-01-01'`);
    const before = await evidence.verify();
    expect(kinds(before.report.faults)).toEqual(['payload missing']);
    expect(before.report.counts.faults).toBe(gone?.count);
    await erase('now()');
    const after = await evidence.verify();
    expect(after.report).toMatchObject({ outcome: 'ok', counts: { erased: gone?.count } });
  });

  it('finds records where no month is: in a partition of another name, under a header with an impossible id', async () => {
    await sql(`CREATE TABLE gatehouse.elsewhere (LIKE gatehouse.audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
      ALTER TABLE gatehouse.audit_log ATTACH PARTITION gatehouse.elsewhere FOR VALUES FROM ('01c00000-0000-0000-0000-000000000000') TO (MAXVALUE)`);
    const id = '01c12345-6789-7000-8000-000000000000';
    const [row] = await sql<{ writer_id: string }>(
      `INSERT INTO gatehouse.audit_log (id, kind, at, writer_id, seq, idx)
        SELECT $1, 'read', now(), writer_id, 1, 0 FROM gatehouse.audit_batch LIMIT 1 RETURNING writer_id`,
      [id],
    );
    const { report } = await evidence.verify();
    expect(report.faults).toEqual([
      expect.objectContaining({
        kind: 'record added',
        place: expect.objectContaining({ writerId: row?.writer_id, seq: 1, idx: 0, id }) as object,
      }),
    ]);
    await sql(`UPDATE gatehouse.audit_batch SET first_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' WHERE seq = 1`);
    expect(kinds((await evidence.verify()).report.faults)).toContain('header changed');
  });

  it('tells of gaps and of lost writers that the log itself knows', async () => {
    const writerId = newId();
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
      await log.append([gapEntry(gap, new Date()), writerEntry('lost', writerId, 3, new Date())]);
      await log.close(5000);
      return seal(test);
    });
    const copy = await told.clone();
    const { report } = await copy.verify();
    expect(report).toMatchObject({ outcome: 'incomplete', tailPinned: true, faults: [] });
    expect(report.shortfalls.map(({ kind, amount, place }) => [kind, amount, place.writerId, place.seq])).toEqual([
      ['gap', 7, undefined, undefined],
      ['lost writer', undefined, writerId, 3],
    ]);
    const { report: before } = await copy.verify({ until: new Date('2026-01-01') });
    expect(before.shortfalls).toEqual([]);
    await copy.drop();
    await told.drop();
  });
});
