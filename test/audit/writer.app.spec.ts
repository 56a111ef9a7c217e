import { EvidenceHealth } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import type { GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { sealedEvidence } from '../support/sealed.evidence.js';
import { sqlOn } from '../conformance/support/sql.js';
import { VERSION } from '../../libs/gatehouse/src/values/version.js';
import { logProblems, type Query } from './support/log.problems.js';

let database: FreshDatabase;
let app: GovernedApp;
const query: Query = (text, values) => sqlOn(database.url, text, values);

beforeEach(async () => {
  database = await freshDatabase(await migratedTemplate());
  app = await bootOnUrl(database.url, { providers: [Bodies, OrderTools, DeskAgent] });
});
afterEach(async () => {
  await app.close();
  await database.drop();
});

it('what a run leaves behind reaches the log by itself, all of it sealed', async () => {
  const { handle } = await app.play([[call('lookup', { order: 1 })], [says('done')]]);
  await sealedEvidence(query);
  const kinds = await query<{ kind: string }>('select kind from gatehouse.audit_log where run_id = $1 order by kind', [
    handle.runId,
  ]);
  expect(kinds.map(({ kind }) => kind)).toEqual(['operation.finished', 'run.started', 'run.terminal', 'tool.executed']);
  expect(await logProblems(query)).toEqual([]);
});

it('a boot puts into the evidence what is in force', async () => {
  const config = () =>
    query<{ reference: string; detail: string }>(
      `select reference, convert_from(body, 'UTF8')::json->>'detail' as detail from gatehouse.audit_log l
        join gatehouse.audit_payload p on p.id = l.id where kind = 'config' and status = 'booted'`,
    );
  while ((await config()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  const [booted] = await config();
  expect(booted?.reference).toBe(VERSION);
  expect(JSON.parse(booted?.detail ?? '')).toMatchObject({
    guard: { enabled: true },
    audit: { enabled: true, durability: 'best-effort' },
    tools: { lookup: expect.stringMatching(/^[0-9a-f]{16,}$/) as string },
  });
});

it('an application asks how its evidence fares', async () => {
  await app.play([[call('lookup', { order: 1 })], [says('done')]]);
  await sealedEvidence(query);
  const { status, reasons, metrics } = await app.module.get(EvidenceHealth).check();
  expect([status, reasons]).toEqual(['up', []]);
  expect(metrics).toMatchObject({ lost: 0, gaps: 0, conflicts: 0, factsWaiting: 0, lastCheckpointAgeMs: null });
});

it('a shutdown closes every writer, and leaves no connection', async () => {
  await app.play([[call('lookup', { order: 1 })], [says('done')]]);
  await app.close();
  const states = await query<{ state: string }>('select distinct state from gatehouse.evidence_writer');
  expect(states).toEqual([{ state: 'closed' }]);
  expect(await query('select from gatehouse.evidence_outbox')).toEqual([]);
  expect(await logProblems(query)).toEqual([]);
  const others = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  while ((await query(others)).length > 0) await new Promise((resolve) => setImmediate(resolve));
});
