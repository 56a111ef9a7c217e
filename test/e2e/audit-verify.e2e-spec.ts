import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail, FileAnchor, generateEd25519Key, verifyProof, type VerifyReport } from 'nest-gatehouse';
import { says } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asks, eventsIn, get, jsonIn, post, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

const AUDITOR: Who = { user: 'auditor', roles: 'audit.verify' };
const KEY = generateEd25519Key('example.com/desk');

describe('GET audit/verify', () => {
  let database: FreshDatabase;
  let folder: string;
  let desk: Desk;
  beforeAll(async () => {
    database = await freshDatabase();
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-verify-'));
    const anchors = [new FileAnchor(join(folder, 'checkpoint'))];
    const seal = { key: KEY.seed, origin: 'example.com/desk', interval: '100ms', anchors } as const;
    desk = await openDesk({ persistence: {}, audit: { seal } }, [
      TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
    ]);
    desk.play([[says('done')]]);
    await eventsIn(await post(desk, 'runs', asks('go')));
    // The terminal record is a fact: it is sealed a moment later.
    for (let sealed = 0; sealed === 0;) sealed = (await desk.get(AuditTrail).verify()).report.log.pinnedSize;
  });
  afterAll(async () => {
    await desk.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it("answers the report, with the application's own key and anchor", async () => {
    const report = await jsonIn<VerifyReport>(get(desk, 'audit/verify', { who: AUDITOR }));
    expect(report).toMatchObject({
      outcome: 'ok',
      tailPinned: true,
      level: 'payloads',
      log: { origin: 'example.com/desk' },
      faults: [],
    });
    const heads = await jsonIn<VerifyReport>(get(desk, 'audit/verify?level=checkpoints', { who: AUDITOR }));
    expect(heads).toMatchObject({ level: 'checkpoints', counts: { records: 0 } });
    expect((await get(desk, 'audit/verify?level=deep', { who: AUDITOR })).status).toBe(400);
  });

  it('is there for nobody whom the policy does not let verify', async () => {
    const reader: Who = { user: 'ann', org: 'acme', roles: 'audit.read,audit.verify' };
    expect((await get(desk, 'audit/verify', { who: reader })).status).toBe(404);
    expect((await get(desk, 'audit/verify', { who: { user: 'ann', roles: 'audit.read' } })).status).toBe(404);
  });

  it('runs once at a time', async () => {
    const trail = desk.get(AuditTrail);
    const first = trail.verify();
    const refused = await get(desk, 'audit/verify', { who: AUDITOR });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect((await jsonIn<{ code: string }>(Promise.resolve(refused))).code).toBe('verification_running');
    expect((await first).report.outcome).toBe('ok');
    expect((await get(desk, 'audit/verify', { who: AUDITOR })).status).toBe(200);
  });

  it('and what it says of one record can be shown to somebody without a database', async () => {
    const trail = desk.get(AuditTrail);
    for (let items = (await trail.terminals()).items; ; items = (await trail.terminals()).items) {
      const [terminal] = items;
      const proof = terminal && (await trail.prove(terminal.id).catch(() => undefined));
      if (proof === undefined) continue;
      const { record } = verifyProof(JSON.stringify(proof), { keys: [KEY.verifierKey] });
      expect(record).toMatchObject({ id: terminal?.id, kind: 'run.terminal', status: 'completed' });
      break;
    }
  });
});

it('evidence in memory is not sealed, and says so', async () => {
  const desk = await openDesk({ audit: { seal: { key: KEY.seed, origin: 'example.com/desk' } } });
  await expect(desk.get(AuditTrail).verify({ keys: [KEY.verifierKey] })).rejects.toThrow('need `persistence`');
  await expect(desk.get(AuditTrail).prove('0199c0de-0000-7000-8000-000000000000')).rejects.toThrow(
    'need `persistence`',
  );
  await desk.close();
});
