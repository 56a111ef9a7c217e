import { TypeOrmModule } from '@nestjs/typeorm';
import { call, says } from 'nest-gatehouse/testing';
import { DataSource } from 'typeorm';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asks, eventsIn, get, jsonIn, post, problemIn, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

const AUDITOR: Who = { user: 'auditor', org: 'acme', roles: 'audit.read,audit.export' };

interface Line {
  readonly record: { readonly kind: string; readonly organizationId?: string; readonly principalId?: string };
}

describe('GET audit/export', () => {
  let database: FreshDatabase;
  let desk: Desk;
  const lines = async (path: string, who = AUDITOR): Promise<Line[]> => {
    const answer = await get(desk, path, { who });
    const text = await answer.text();
    return text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Line);
  };
  /** `reference status amount by whom`, as recorded. */
  const readings = async (): Promise<string[]> => {
    const source = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    const rows = await source.query<{ what: string }[]>(
      `SELECT concat_ws(' ', reference, status, amount, principal_id) AS what FROM gatehouse.audit_log WHERE kind = 'read' ORDER BY id`,
    );
    await source.destroy();
    return rows.map(({ what }) => what);
  };

  beforeAll(async () => {
    database = await freshDatabase();
    desk = await openDesk({ persistence: {} }, [
      TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
    ]);
    for (const org of ['acme', 'other']) {
      desk.play([[call('look', { id: 1 })], [says('done')]]);
      await eventsIn(await post(desk, 'runs', asks('go'), { who: { user: 'ann', org } }));
    }
  });
  afterAll(async () => {
    await desk.close();
    await database.drop();
  });

  it("streams one organization's records as a file, and records who did", async () => {
    const answer = await get(desk, 'audit/export', { who: AUDITOR });
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
      200,
      'application/x-ndjson',
      'attachment; filename="evidence.ndjson"',
    ]);
    const exported = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(new Set(exported.map(({ record }) => record.organizationId))).toEqual(new Set(['acme']));
    expect(exported.map(({ record }) => record.kind)).toEqual(
      expect.arrayContaining(['run.started', 'operation.finished', 'run.terminal']),
    );
    expect((await readings()).filter((what) => what.endsWith('auditor'))[0]).toBe('export:ndjson started auditor');
  });

  it('takes filters, in each format', async () => {
    const csv = await (await get(desk, 'audit/export?format=csv&toolName=look', { who: AUDITOR })).text();
    expect(csv.startsWith('"id","kind"')).toBe(true);
    expect(csv).toContain('"operation.finished"');
    const [event] = await lines('audit/export?format=ocsf&toolName=look');
    expect(event).toMatchObject({ class_uid: 6003, api: { operation: 'look' } });
    expect(await lines('audit/export?principalId=nobody')).toEqual([]);
    expect((await get(desk, 'audit/export?format=xml', { who: AUDITOR })).status).toBe(400);
    expect((await get(desk, 'audit/export?limit=5', { who: AUDITOR })).status).toBe(400);
  });

  it('is there for nobody whom the policy does not let export; who has no organization gets records of none', async () => {
    expect((await get(desk, 'audit/export', { who: { user: 'ann', org: 'acme', roles: 'audit.read' } })).status).toBe(
      404,
    );
    const loner: Who = { user: 'loner', roles: 'audit.export' };
    const exported = await lines('audit/export', loner);
    expect(exported.filter(({ record }) => record.organizationId !== undefined)).toEqual([]);
  });

  it.each(['ndjson', 'csv', 'ocsf'])(
    'as %s answers with a problem where there is nothing to read it from',
    async (format) => {
      const memory = await openDesk();
      try {
        const answer = await get(memory, `audit/export?format=${format}`, { who: AUDITOR });
        expect(await problemIn(answer)).toBe('500 internal_error');
      } finally {
        await memory.close();
      }
    },
  );

  it('a read page is evidence too', async () => {
    const page = await jsonIn<{ items: object[] }>(get(desk, 'audit/operations?limit=1', { who: AUDITOR }));
    expect(page.items).toHaveLength(1);
    let told: string[] = [];
    for (; !told.some((what) => what.startsWith('operations')); told = await readings());
    expect(told.filter((what) => what.startsWith('operations'))).toEqual(['operations finished 1 auditor']);
  });
});
