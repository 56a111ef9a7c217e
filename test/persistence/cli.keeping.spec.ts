import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { run } from '../../libs/gatehouse/src/cli/program.js';
import { anExecution } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';
import { KEY, sealing, type Sealing } from './sealing.js';

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('gatehouse export, retain, erase, hold', () => {
  let test: OpenedDatabase;
  let seal: Sealing;
  let folder: string;
  const gatehouse = async (...argv: string[]): Promise<Answer> => {
    let [out, err] = ['', ''];
    const terminal = {
      env: { DATABASE_URL: test.url },
      isWatched: false,
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      exitCode: 0,
    };
    return { code: await run(argv, terminal), out, err };
  };
  const kinds = async (): Promise<string[]> => {
    const rows = await test.source.query<{ what: string }[]>(
      `SELECT concat_ws(' ', kind, status, reference, principal_id) AS what FROM gatehouse.audit_log WHERE kind IN ('read', 'retention', 'erased') ORDER BY id`,
    );
    return rows.map(({ what }) => what);
  };

  beforeEach(async () => {
    test = await openDatabase();
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-cli-'));
    seal = sealing(test);
    seal.sealer.onApplicationBootstrap();
    const run = { id: newId(), threadId: 'thread' };
    await test.evidence.append(
      [
        {
          ...anExecution(run, { toolName: '=cmd()', argumentsRepr: '{"a":"x\\ny"}' }),
          id: v7({ msecs: Date.UTC(2024, 0, 31) }),
        },
        anExecution(run, {
          success: false,
          error: 'TypeError: "no", he said',
          resultSize: null,
          organizationId: 'other',
        }),
      ].map(executionEntry),
    );
    await seal.sealer.seal();
  });
  afterEach(async () => {
    await seal.sealer.onApplicationShutdown();
    await seal.writer.onApplicationShutdown();
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('exports NDJSON with all that proves a record, and records that it did', async () => {
    const { code, out } = await gatehouse('export', '--by', 'ann', '--tool', '=cmd()');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { record: object; payload: object; seal: Record<string, string | number> });
    expect([code, lines.length]).toEqual([0, 1]);
    expect(lines[0]).toMatchObject({
      record: { kind: 'tool.executed', toolName: '=cmd()', status: 'success' },
      payload: { arguments: '{"a":"x\\ny"}' },
      erased: false,
      seal: { idx: 0 },
    });
    const { salt, payloadCommitment } = lines[0]?.seal ?? {};
    const hmac = await import('node:crypto').then(({ createHmac }) =>
      createHmac('sha256', Buffer.from(String(salt), 'hex'))
        .update(JSON.stringify(lines[0]?.payload))
        .digest('hex'),
    );
    expect(hmac).toBe(payloadCommitment);
    expect(await kinds()).toEqual(['read started export:ndjson ann', 'read finished export:ndjson ann']);
  });

  it('exports CSV that no spreadsheet runs, with every column', async () => {
    const { out } = await gatehouse('export', '--format', 'csv', '--by', 'ann');
    const [head, first] = out.split('\r\n');
    expect(head).toContain('"id","kind","at"');
    expect(first).toContain(`"'=cmd()"`);
    expect(out).toContain('"TypeError: ""no"", he said"');
  });

  it('exports OCSF, filtered, into a file that only its owner reads, and never over one that is there', async () => {
    const file = join(folder, 'events');
    const query = [
      'export',
      '--format',
      'ocsf',
      '--organization',
      'other',
      '--tool',
      'refund',
      '--out',
      file,
      '--by',
      'ann',
    ];
    expect((await gatehouse(...query)).code).toBe(0);
    const events = (await readFile(file, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      class_uid: 6003,
      type_uid: 600399,
      status_id: 2,
      status_code: 'TypeError',
      metadata: { tenant_uid: 'other' },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await gatehouse(...query)).code).toBe(4);
  });

  it('lets a month go once it is archived, with the digest in the record of its going', async () => {
    const dry = await gatehouse('retain', '--keep', 'ai-act', '--dry-run', '--json');
    expect(JSON.parse(dry.out)).toEqual({ months: [{ month: '202401', records: 1, outcome: 'would be dropped' }] });
    const { code, out } = await gatehouse('retain', '--keep', 'ai-act', '--archive', folder, '--by', 'ann');
    expect([code, out]).toEqual([0, '202401  1 records  dropped\n']);
    const archive = await readFile(join(folder, 'gatehouse-202401.ndjson'));
    const [told] = await test.source.query<{ detail: string }[]>(
      `SELECT convert_from(p.body, 'UTF8')::json ->> 'detail' AS detail FROM gatehouse.audit_log l JOIN gatehouse.audit_payload p USING (id) WHERE kind = 'retention'`,
    );
    expect(JSON.parse(told?.detail ?? '')).toEqual({
      archive: 'gatehouse-202401.ndjson',
      sha256: createHash('sha256').update(archive).digest('hex'),
    });
    expect((await gatehouse('retain', '--keep', '10d')).code).toBe(4);
    expect((await gatehouse('retain', '--keep', 'ai-act')).out).toBe('Nothing is old enough to go.\n');
  });

  it('verifies a month that is gone from its archive, and finds what was changed in it', async () => {
    await gatehouse('retain', '--keep', 'ai-act', '--archive', folder, '--by', 'ann');
    await seal.sealer.seal();
    const archive = join(folder, 'gatehouse-202401.ndjson');
    const verify = () =>
      gatehouse('verify', '--key', KEY.verifierKey, '--allow-unpinned', '--archive', archive, '--json');
    const right = await verify();
    const { months } = JSON.parse(right.out) as { months: object[] };
    expect([right.code, months[0]]).toEqual([0, { month: '202401', state: 'archive checked', records: 1 }]);
    const text = await readFile(archive, 'utf8');
    await writeFile(archive, text.replace('"status":"success"', '"status":"failure"'));
    const changed = await verify();
    expect([changed.code, changed.out]).toEqual([1, expect.stringContaining('In the archive:')]);
    await writeFile(archive, text.replace('{\\"a\\"', '{\\"b\\"'));
    expect((await verify()).code).toBe(1);
    await writeFile(archive, 'no record\n');
    expect(await verify()).toMatchObject({ code: 4, err: expect.stringContaining('line 1') as string });
  });

  it('holds, erases, and says what it does not reach', async () => {
    const placed = JSON.parse((await gatehouse('hold', '--reason', 'a lawsuit', '--by', 'counsel', '--json')).out) as {
      holds: { id: string }[];
    };
    const id = placed.holds[0]?.id ?? '';
    expect((await gatehouse('hold')).out).toContain(`${id}  everything  stands  placed by counsel`);
    const held = await gatehouse('erase', '--principal', 'ann', '--by', 'dpo');
    expect([held.code, held.err]).toEqual([4, expect.stringContaining(id)]);
    expect((await gatehouse('hold', '--release', id, '--by', 'counsel')).out).toContain('released by counsel');
    expect((await gatehouse('hold', '--release', id)).code).toBe(4);
    const done = await gatehouse('erase', '--principal', 'ann', '--by', 'dpo', '--reason', 'asked');
    expect(done.out).toBe(
      '2 payloads and the working state of 0 runs erased.\nBackups, exports and logs are not reached from here.\n',
    );
    expect((await gatehouse('erase')).err).toContain('Name either a person (--principal) or a run (--run).');
    expect((await gatehouse('export', '--by', 'ann')).out).toContain('"erased":true');
  });

  it('reads instants only with their zone', async () => {
    expect((await gatehouse('export', '--from', '2026-11-01T12:00:00')).code).toBe(64);
    expect((await gatehouse('export', '--from', '2026-11-01', '--by', 'ann')).code).toBe(0);
  });

  it('looks at the database, and prints the roles', async () => {
    const { code, out } = await gatehouse('doctor');
    expect(out).toContain('ok       triggers');
    // Of the server of these tests alone: it gives durability away for speed.
    expect([code, out.match(/^PROBLEM.*$/gm)?.length ?? 0]).toEqual(out.includes('fsync is off') ? [2, 1] : [0, 0]);
    expect((await gatehouse('roles')).out).toContain('CREATE ROLE "gatehouse_writer" NOLOGIN');
  });
});
