import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VerifyReport } from '../../../libs/gatehouse/src/audit/verify/verify.report.js';
import { run } from '../../../libs/gatehouse/src/cli/program.js';
import type { Terminal } from '../../../libs/gatehouse/src/cli/terminal.js';
import { generateEd25519Key } from '../../../libs/gatehouse/src/values/transparency/ed25519.keys.js';
import { freshDatabase } from '../../support/postgres.js';
import { KEY, ORIGIN, sealedTemplate, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

interface Played {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function gatehouse(
  argv: readonly string[],
  env: Record<string, string> = {},
  isWatched = false,
): Promise<Played> {
  let [out, err] = ['', ''];
  const terminal: Terminal = {
    env,
    isWatched,
    exitCode: 0,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  };
  return { code: await run(argv, terminal), out, err };
}

describe('gatehouse', () => {
  let template: SealedTemplate;
  let evidence: ClonedEvidence;
  let folder: string;
  let anchor: string;
  const file = (name: string): string => join(folder, name);
  const verify = (...more: string[]): Promise<Played> =>
    gatehouse(['verify', '--key', KEY.verifierKey, ...more], { DATABASE_URL: evidence.url });

  beforeAll(async () => {
    template = await sealedTemplate();
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-cli-'));
    anchor = file('anchor');
    await writeFile(anchor, template.note);
  });
  afterAll(async () => {
    await template.drop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    evidence = await template.clone();
  });
  afterEach(() => evidence.drop());

  it('verify ends with 0, 1, 2, 3 and 4, each for what it stands for', async () => {
    const codes = [
      (await verify('--anchor', anchor)).code,
      (await verify('--allow-unpinned')).code,
      (await verify()).code,
      (await gatehouse(['verify', '--url', evidence.url])).code,
      (await gatehouse(['verify', '--url', evidence.url, '--key', generateEd25519Key(ORIGIN).verifierKey])).code,
      (await verify('--schema', 'nothing_here')).code,
      (await verify('--level', 'deep')).code,
    ];
    expect(codes).toEqual([0, 0, 2, 3, 3, 4, 64]);
    await evidence.client.query(`UPDATE gatehouse.audit_log SET status = NULL WHERE kind = 'tool.executed'`);
    expect((await verify('--anchor', anchor)).code).toBe(1);
  });

  it('verify says what was changed, where, for people and for programs', async () => {
    const { rows } = await evidence.client.query<{ id: string; idx: number }>(
      `UPDATE gatehouse.audit_log SET status = NULL WHERE id = (SELECT id FROM gatehouse.audit_log WHERE kind = 'tool.executed' ORDER BY id LIMIT 1)
        RETURNING id, idx`,
    );
    const told = await verify('--anchor', anchor);
    expect(told.out).toContain('TAMPERED');
    expect(told.out).toContain(`Column status, proven. [month`);
    expect(told.out).toContain(`id ${rows[0]?.id}]`);
    const report = JSON.parse((await verify('--anchor', anchor, '--json')).out) as VerifyReport;
    expect(report.faults).toEqual([
      expect.objectContaining({ kind: 'record changed', columns: ['status'], certainty: 'proven' }),
    ]);
    expect(report.faults[0]?.place).toMatchObject(rows[0] ?? {});
  });

  it('verify takes keys from files and PEMs, months, and goes on where it stopped', async () => {
    await writeFile(file('key'), `${KEY.verifierKey}\n`);
    const state = file('state');
    const first = await gatehouse([
      'verify',
      '--url',
      evidence.url,
      '--key',
      file('key'),
      '--anchor',
      anchor,
      '--since-last',
      state,
      '--json',
    ]);
    const second = await gatehouse([
      'verify',
      '--url',
      evidence.url,
      '--key',
      file('key'),
      '--since-last',
      state,
      '--json',
    ]);
    expect([first.code, second.code]).toEqual([0, 0]);
    const counts = [first, second].map(({ out }) => (JSON.parse(out) as VerifyReport).counts.records);
    expect(counts[0]).toBeGreaterThan(50);
    expect(counts[1]).toBe(0);
    const old = await verify('--anchor', anchor, '--to', '2020-01', '--json');
    expect((JSON.parse(old.out) as VerifyReport).counts.records).toBe(0);
    expect((await verify('--from', 'yesterday')).code).toBe(64);
  });

  it('verify shows how far it is where somebody watches, and nowhere else', async () => {
    const argv = ['verify', '--key', KEY.verifierKey, '--anchor', anchor];
    const env = { DATABASE_URL: evidence.url };
    expect((await gatehouse(argv, env, true)).err).toContain('\r');
    expect((await gatehouse(argv, env)).err).toBe('');
  });

  it('prove and verify-proof: a proof that needs no database, and its own files', async () => {
    const { rows } = await evidence.client.query<{ id: string }>(
      `SELECT id FROM gatehouse.audit_log WHERE kind = 'tool.executed' ORDER BY id LIMIT 1`,
    );
    const id = rows[0]?.id ?? '';
    const made = await gatehouse(['prove', id, '--url', evidence.url, '--disclose', '--out', folder]);
    expect(made.code).toBe(0);
    expect(await readFile(file(`${id}.tlog-proof`), 'utf8')).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex \d+\n/);
    const good = await gatehouse(['verify-proof', file(`${id}.json`), '--key', KEY.verifierKey]);
    expect(good.code).toBe(0);
    expect(good.out).toContain('arguments: {"order":1}');
    const stranger = await gatehouse([
      'verify-proof',
      file(`${id}.json`),
      '--key',
      generateEd25519Key(ORIGIN).verifierKey,
    ]);
    await writeFile(file('forged.json'), (await readFile(file(`${id}.json`), 'utf8')).replace('"seq": ', '"seq": 1'));
    const forged = await gatehouse(['verify-proof', file('forged.json'), '--key', KEY.verifierKey]);
    const none = await gatehouse(['verify-proof', file('none.json'), '--key', KEY.verifierKey]);
    expect([stranger.code, forged.code, none.code]).toEqual([3, 1, 4]);
    expect(none.err).toBe('gatehouse verify-proof: There is no such file (ENOENT)\n');
  });

  it('keygen writes a secret that only its owner reads, never over another one', async () => {
    const made = await gatehouse(['keygen', '--name', ORIGIN, '--out', file('secret'), '--json']);
    const { verifierKey } = JSON.parse(made.out) as { verifierKey: string };
    expect(verifierKey.startsWith(`${ORIGIN}+`)).toBe(true);
    expect(made.out).not.toContain((await readFile(file('secret'), 'utf8')).trim());
    expect((await stat(file('secret'))).mode & 0o777).toBe(0o600);
    expect((await gatehouse(['keygen', '--name', ORIGIN, '--out', file('secret')])).code).toBe(4);
    const shown = JSON.parse((await gatehouse(['keygen', '--name', ORIGIN, '--json'])).out) as { seed: string };
    expect(Buffer.from(shown.seed, 'base64')).toHaveLength(32);
    expect((await gatehouse(['keygen', '--name', 'with space'])).code).toBe(4);
  });

  it('migrate makes a schema, once and again, and only looks with --check', async () => {
    const empty = await freshDatabase();
    const migrate = (...more: string[]): Promise<Played> => gatehouse(['migrate', '--url', empty.url, ...more]);
    const played = [await migrate('--check'), await migrate(), await migrate(), await migrate('--check')];
    await empty.drop();
    expect(played.map(({ code }) => code)).toEqual([4, 0, 0, 0]);
    expect(played[0]?.err).toMatch(/^gatehouse migrate: The schema 'gatehouse' lacks .*\n$/);
  });

  it('says in one line what is wrong, without the words of the driver', async () => {
    const nowhere = await gatehouse(['verify', '--url', 'postgres://u:secret@127.0.0.1:1/x', '--key', KEY.verifierKey]);
    expect(nowhere.code).toBe(4);
    expect(nowhere.err).toBe(
      'gatehouse verify: The store could not read the evidence. Check the database connection. (ECONNREFUSED)\n',
    );
    expect((await gatehouse(['verify', '--key', KEY.verifierKey])).err).toBe(
      'gatehouse verify: No database is named: set DATABASE_URL, or pass --url.\n',
    );
    expect((await gatehouse(['--help'])).out).toContain('verify-proof');
  });
});
