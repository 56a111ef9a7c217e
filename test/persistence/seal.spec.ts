import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileAnchor } from '../../libs/gatehouse/src/audit/seal/file.anchor.js';
import { Anchor } from '../../libs/gatehouse/src/contracts/ports/anchor.js';
import { anExecution } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { captureLog } from '../../libs/gatehouse/src/testing/captured.log.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { headerData } from '../../libs/gatehouse/src/values/ledger/batch.header.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { verifyCheckpoint } from '../../libs/gatehouse/src/values/transparency/checkpoint.js';
import { generateEd25519Key } from '../../libs/gatehouse/src/values/transparency/ed25519.keys.js';
import { leafHash, rootOf } from '../../libs/gatehouse/src/values/transparency/merkle.tree.js';
import { parseVerifierKey } from '../../libs/gatehouse/src/values/transparency/verifier.key.js';
import { headerOf, type BatchRow } from '../../libs/gatehouse/src/persistence/postgres/ledger/checkpoint.rows.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';
import { KEY, ORIGIN, sealing, type Sealing } from './sealing.js';

const TRUSTED = { origin: ORIGIN, keys: [parseVerifierKey(KEY.verifierKey)] };

describe('the seal', () => {
  const log = captureLog();
  let test: OpenedDatabase;
  let open: Sealing[];
  /** A process that seals, once it has looked around. */
  const sealed = async (
    ...given: Parameters<typeof sealing> extends [unknown, ...infer Rest] ? Rest : never
  ): Promise<Sealing> => {
    const one = sealing(test, ...given);
    open.push(one);
    one.sealer.onApplicationBootstrap();
    await one.sealer.seal();
    return one;
  };
  const append = (count = 1): Promise<void> =>
    test.evidence.append(
      Array.from({ length: count }, () => executionEntry(anExecution({ id: newId(), threadId: 't' }))),
    );
  const sizes = async (): Promise<number[]> =>
    (
      await test.source.query<{ tree_size: string }[]>(
        'SELECT tree_size FROM gatehouse.audit_checkpoint ORDER BY tree_size',
      )
    ).map(({ tree_size }) => Number(tree_size));

  beforeEach(async () => {
    test = await openDatabase();
    open = [];
    log.lines.length = 0;
  });
  afterEach(async () => {
    await Promise.all(open.map(({ sealer }) => sealer.onApplicationShutdown()));
    await test.close();
  });
  afterAll(() => log.release());

  it('signs a checkpoint over every batch, in the order of the log, that a stranger can check', async () => {
    const { sealer, store } = await sealed();
    await append(3);
    await append(2);
    await sealer.seal();
    const latest = await store.latestCheckpoint();
    const { size, root } = verifyCheckpoint(latest?.note ?? '', TRUSTED);
    const batches = await test.source.query<BatchRow[]>(
      'SELECT b.* FROM gatehouse.audit_batch b JOIN gatehouse.audit_leaf l USING (writer_id, seq) ORDER BY l.log_index',
    );
    expect(size).toBe(batches.length);
    expect(rootOf(batches.map((row) => leafHash(headerData(headerOf(row))))).equals(root)).toBe(true);
    const [unsealed] = await test.source.query<{ count: number }[]>(
      'SELECT count(*)::integer AS count FROM gatehouse.audit_batch b WHERE NOT EXISTS (SELECT FROM gatehouse.audit_leaf l WHERE (l.writer_id, l.seq) = (b.writer_id, b.seq))',
    );
    expect(unsealed).toEqual({ count: 0 });
  });

  it('seals last that its writer ends: nothing is left unsealed when a process has closed', async () => {
    const { sealer, writer } = await sealed();
    writer.submit(executionEntry(anExecution({ id: newId(), threadId: 't' })));
    await writer.drained();
    await sealer.onApplicationShutdown();
    const ends = await test.source.query<{ sealed: boolean }[]>(
      `SELECT EXISTS (SELECT FROM gatehouse.audit_leaf f WHERE (f.writer_id, f.seq) = (l.writer_id, l.seq)) AS sealed
        FROM gatehouse.audit_log l WHERE kind = 'writer' AND status = 'closed'`,
    );
    expect(ends).toEqual([{ sealed: true }]);
  });

  it('signs nothing where there is no news', async () => {
    const { sealer } = await sealed();
    await append();
    await sealer.seal();
    const before = await sizes();
    await sealer.seal();
    expect(await sizes()).toEqual(before);
  });

  it('has one sealer; another takes over when that one is gone, and goes on where it stopped', async () => {
    const [first, second] = [await sealed(), await sealed()];
    await append();
    await first.sealer.seal();
    await append();
    await second.sealer.seal();
    const before = await sizes();
    const [{ pid } = { pid: 0 }] = await test.source.query<{ pid: number }[]>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'gatehouse sealer' AND datname = current_database()`,
    );
    await test.source.query('SELECT pg_terminate_backend($1)', [pid]);
    await first.sealer.seal();
    await second.sealer.seal();
    const after = await sizes();
    expect(after.length).toBe(before.length + 1);
    expect(verifyCheckpoint((await second.store.latestCheckpoint())?.note ?? '', TRUSTED).size).toBe(after.at(-1));
  });

  it('seals no batch whose predecessor is not there', async () => {
    const { sealer } = await sealed();
    await append();
    await sealer.seal();
    const before = await sizes();
    await test.source.query(
      `INSERT INTO gatehouse.audit_batch (writer_id, seq, codec, count, first_id, last_id, root)
        SELECT writer_id, max(seq) + 2, 1, 1, gen_random_uuid(), gen_random_uuid(), sha256('') FROM gatehouse.audit_batch GROUP BY writer_id`,
    );
    await sealer.seal();
    expect(await sizes()).toEqual(before);
  });

  it('signs nothing more once what was signed is not what is stored', async () => {
    const first = await sealed();
    await append();
    await first.sealer.seal();
    await first.sealer.onApplicationShutdown();
    await test.source.query('ALTER TABLE gatehouse.audit_leaf DISABLE TRIGGER ALL');
    await test.source.query(`UPDATE gatehouse.audit_leaf SET hash = sha256('forged')`);
    await append();
    const before = await sizes();
    await (await sealed()).sealer.seal();
    expect(await sizes()).toEqual(before);
    expect(log.lines.at(-1)?.message).toContain('The stored log is not the one whose');
  });

  it('says once that nothing is signed without a key', async () => {
    const { sealer } = await sealed({ keys: [] });
    await append();
    await sealer.seal();
    expect(await sizes()).toEqual([]);
    expect(log.lines.filter(({ message }) => message.includes('audit.seal.key'))).toHaveLength(1);
  });

  it('changes its key without a break: both sign, and a verifier that knows one is content', async () => {
    const next = generateEd25519Key(ORIGIN);
    const first = await sealed();
    await append();
    await first.sealer.seal();
    await first.sealer.onApplicationShutdown();
    await append();
    const both = await sealed({ keys: [next.privateKeyPem, KEY.privateKeyPem] });
    await both.sealer.seal();
    await both.sealer.onApplicationShutdown();
    const note = (await both.store.latestCheckpoint())?.note ?? '';
    const keys = [KEY, next].map(({ verifierKey }) => parseVerifierKey(verifierKey));
    expect(keys.map((key) => verifyCheckpoint(note, { origin: ORIGIN, keys: [key] }).size)).toEqual([
      (await sizes()).at(-1),
      (await sizes()).at(-1),
    ]);
    await append();
    const only = await sealed({ keys: [next.privateKeyPem] });
    await only.sealer.seal();
    const last = (await only.store.latestCheckpoint())?.note ?? '';
    expect(() => verifyCheckpoint(last, TRUSTED)).toThrow(/key/);
  });

  describe('anchors', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-anchor-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it('have what is committed, and are recorded', async () => {
      const path = join(folder, 'checkpoint');
      const { sealer, store } = await sealed({ anchors: [new FileAnchor(path)] });
      await append();
      await sealer.seal();
      expect(await readFile(path, 'utf8')).toBe((await store.latestCheckpoint())?.note);
      expect(await store.anchoredSize(`file:${path}`)).toBe((await sizes()).at(-1));
    });

    it('that know more than the database stop the sealing: it was cut or restored', async () => {
      const path = join(folder, 'checkpoint');
      const elsewhere = await openDatabase();
      const other = sealing(elsewhere);
      other.sealer.onApplicationBootstrap();
      for (let batch = 0; batch < 3; batch += 1)
        await elsewhere.evidence.append([executionEntry(anExecution({ id: newId(), threadId: 't' }))]);
      await other.sealer.seal();
      await writeFile(path, (await other.store.latestCheckpoint())?.note ?? '');
      await other.sealer.onApplicationShutdown();
      await elsewhere.close();
      await append();
      await (await sealed({ anchors: [new FileAnchor(path)] })).sealer.seal();
      expect(await sizes()).toEqual([]);
      expect(log.lines.at(-1)?.message).toContain('batches are missing');
    });

    it('that fail keep nothing up, and are said once', async () => {
      class Broken extends Anchor {
        override readonly name = 'broken';
        override publish(): never {
          throw new Error('no space');
        }
      }
      const { sealer } = await sealed({ anchors: [new Broken()] });
      await append();
      await sealer.seal();
      await append();
      await sealer.seal();
      expect((await sizes()).length).toBe(2);
      expect(log.lines.filter(({ message }) => message.includes("'broken'"))).toHaveLength(1);
    });
  });
});
