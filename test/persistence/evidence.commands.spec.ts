import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { ocsfLine } from '../../libs/gatehouse/src/audit/export/ocsf.lines.js';
import { run } from '../../libs/gatehouse/src/cli/program.js';
import type { LedgerKind } from '../../libs/gatehouse/src/contracts/ledger.js';
import { rolesScript } from '../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import {
  anApproval,
  anEnding,
  anExecution,
  anOperation,
  yes,
} from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { fenceOf, running } from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';
import { KEY, sealing, type Sealing } from './sealing.js';

describe('commands about evidence', () => {
  let test: OpenedDatabase;
  let seal: Sealing;
  let folder: string;
  const gatehouseAt = async (url: string, ...argv: string[]) => {
    let [out, err] = ['', ''];
    const terminal = {
      env: { DATABASE_URL: url },
      isWatched: false,
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      exitCode: 0,
    };
    return { code: await run(argv, terminal), out, err };
  };
  const gatehouse = (...argv: string[]) => gatehouseAt(test.url, ...argv);
  const kept = async (argumentsRepr: string): Promise<string> => {
    const execution = anExecution({ id: newId(), threadId: 't' }, { argumentsRepr });
    await test.evidence.append([executionEntry(execution)]);
    await seal.sealer.seal();
    return execution.id;
  };
  const login = async (role: string): Promise<string> => {
    const name = `${role}_${newId().replaceAll('-', '').slice(-12)}`;
    await test.source.query(`CREATE ROLE ${name} LOGIN PASSWORD 'only-here' IN ROLE gatehouse_${role}`);
    const url = new URL(test.url);
    [url.username, url.password] = [name, 'only-here'];
    return url.href;
  };

  beforeEach(async () => {
    test = await openDatabase();
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-commands-'));
    seal = sealing(test);
    seal.sealer.onApplicationBootstrap();
  });
  afterEach(async () => {
    await seal.sealer.onApplicationShutdown();
    await seal.writer.onApplicationShutdown();
    await test.close();
    await rm(folder, { recursive: true });
  });

  it('disclose no texts that were changed or are gone, and say so', async () => {
    const id = await kept('{"a":1}');
    expect((await gatehouse('prove', id, '--disclose')).code).toBe(0);
    await test.source.query(`ALTER TABLE gatehouse.audit_payload DISABLE TRIGGER append_only;
      UPDATE gatehouse.audit_payload SET body = '{"arguments":"forged"}'`);
    const changed = await gatehouse('prove', id, '--disclose');
    expect(changed).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringContaining('not the ones it was bound to') as string,
    });
    await test.source.query(`DELETE FROM gatehouse.audit_payload`);
    const gone = await gatehouse('prove', id, '--disclose');
    expect(gone).toMatchObject({ code: 4, out: '', err: expect.stringContaining('erased, or deleted') as string });
    expect((await gatehouse('prove', id)).code).toBe(0);
  });

  it('print what a proof discloses on a line each, whatever it has in it', async () => {
    const id = await kept('"\u001b[2J\nOK: all is well\u202e"');
    const file = join(folder, 'proof.json');
    await writeFile(file, (await gatehouse('prove', id, '--disclose')).out);
    const { code, out } = await gatehouse('verify-proof', file, '--key', KEY.verifierKey);
    expect([code, out.split('\n').filter((line) => line.startsWith('OK')).length]).toEqual([0, 1]);
    expect(out).toContain('arguments: "\\u{1b}[2J\\u{a}OK: all is well\\u{202e}"');
    const forged = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...forged, id: 'x\n\u001b[2JOK: fine' }));
    const refused = await gatehouse('verify-proof', file, '--key', KEY.verifierKey);
    expect([refused.code, refused.out.split('\n')]).toEqual([1, [expect.stringContaining('x\\u{a}\\u{1b}[2JOK'), '']]);
  });

  it.each<[LedgerKind, string, string, number]>([
    ['writer', 'lost', 'Failure', 3],
    ['writer', 'closed', 'Success', 1],
    ['read', 'broken-off', 'Failure', 3],
    ['read', 'complete', 'Success', 1],
    ['approval.lost', 'unknown', 'Unknown', 3],
    ['gap', 'overflow', 'Failure', 3],
  ])('tell OCSF what %s %s is: %s', (kind, status, shown, severity) => {
    const record = { id: newId(), kind, status, at: new Date(0) };
    const about = { payload: null, erased: false, sealed: true, writerId: newId(), seq: 1, idx: 0 };
    const line = { record, payloadCommitment: null, salt: null, ...about } as unknown as Parameters<typeof ocsfLine>[0];
    expect(JSON.parse(ocsfLine(line))).toMatchObject({ status: shown, severity_id: severity });
  });

  it('say what to do about a day that is none, a period that is none, and a schema without tables', async () => {
    const [day, month] = [
      await gatehouse('export', '--from', '2026-02-31'),
      await gatehouse('verify', '--from', '2026-02-31T00:00:00Z'),
    ];
    expect([day.code, month.code]).toEqual([64, 64]);
    expect((await gatehouse('export', '--from', '2028-02-29', '--by', 'ann')).code).toBe(0);
    const forever = await gatehouse('retain', '--keep', 'forever');
    expect([forever.code, forever.err]).toEqual([4, expect.stringContaining(`is 'forever', which is no duration.`)]);
    await test.source.query('CREATE SCHEMA empty');
    for (const schema of ['empty', 'absent']) {
      for (const command of [
        ['doctor'],
        ['retain', '--keep', 'ai-act'],
        ['prove', newId()],
        ['verify', '--allow-unpinned', '--key', KEY.verifierKey],
      ]) {
        const { code, err } = await gatehouse(...command, '--schema', schema);
        expect([command[0], schema, code, err]).toEqual([
          command[0],
          schema,
          4,
          expect.stringContaining('There are no Gatehouse tables in the schema'),
        ]);
        expect(err).toContain(`'${schema}'`);
        expect(err).toContain('gatehouse migrate');
      }
    }
  });

  it('take an anchor that was given up for no problem, where another is current', async () => {
    await kept('{}');
    await kept('{}');
    const anchored = async (anchor: string, which: string, days: number): Promise<string> => {
      await test.source.query(
        `INSERT INTO gatehouse.audit_anchor (tree_size, anchor, anchored_at) SELECT ${which}(tree_size), $1, now() - $2 * interval '1 day' FROM gatehouse.audit_checkpoint`,
        [anchor, days],
      );
      const { out } = await gatehouse('doctor');
      return out.split('\n').find((line) => line.includes('anchors:')) ?? '';
    };
    expect(await anchored('file:/old', 'min', 90)).toMatch(/^PROBLEM {2}anchors: 'file:\/old' got its last/);
    expect(await anchored('file:/new', 'max', 0)).toMatch(/^ok {7}anchors: 'file:\/new' has .*'file:\/old'.*given up/);
    expect(await anchored('file:/fails', 'min', 2)).toMatch(/^warning {2}anchors: .*does it fail/);
  });

  it('let whoever maintains erase all of a run, and change nothing else of it', async () => {
    const [one, url] = [
      await running(test),
      await test.source.query(rolesScript('gatehouse')).then(() => login('maintenance')),
    ];
    const approval = await test.store.requestApproval(fenceOf(one), anApproval(one));
    await test.store.vote([yes(approval.id, 'bob', { reason: 'fine by bob' })]);
    const ending = anEnding(one, { operations: [anOperation(one)], audit: anExecution(one) });
    await test.store.finish(fenceOf(one), ending, []);
    await seal.writer.flush();
    const erased = await gatehouseAt(url, 'erase', '--run', one.id, '--by', 'dpo');
    expect([erased.code, erased.err]).toEqual([0, '']);
    const source = await new DataSource({ type: 'postgres', url }).initialize();
    for (const change of [
      `UPDATE gatehouse.approval_request SET status = 'approved'`,
      `UPDATE gatehouse.approval_vote SET principal_id = 'mallory'`,
      `UPDATE gatehouse.approval_event SET at = now()`,
      `UPDATE gatehouse.agent_run SET status = 'failed'`,
      `UPDATE gatehouse.deferred_call SET answered_by = 'mallory'`,
      `UPDATE gatehouse.legal_hold SET reason = 'none'`,
      `UPDATE gatehouse.evidence_outbox SET principal_id = 'mallory'`,
    ]) {
      await expect(source.query(change).catch((error: Error) => error.message)).resolves.toContain('permission denied');
    }
    await source.query(
      `UPDATE gatehouse.deferred_call SET shown = '{}', metadata = '{}', result = NULL, result_digest = NULL`,
    );
    await source.destroy();
  });
});
