import { NewerCheckpointError } from 'nest-gatehouse';

import { RunReader } from '../../../libs/gatehouse/src/contracts/ports/run.reader.js';
import { CHECKPOINT_VERSION } from '../../../libs/gatehouse/src/persistence/checkpoint/checkpoint.version.js';
import { RunSweeper } from '../../../libs/gatehouse/src/runs/run.sweeper.js';
import { sqlOn } from '../../conformance/support/sql.js';
import { ANN, type GovernedApp } from '../../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate } from '../../support/governed/stores.js';
import { freshDatabase, type FreshDatabase } from '../../support/postgres.js';
import { GOLDEN, GoldenTools } from './golden.agent.js';
import { goldenRun, goldenVersions, keepGolden, putRows, rowsIn, type GoldenRows } from './golden.rows.js';
import { shapesOf } from './golden.shapes.js';

/** Set once a version is new, or grew members that older readers may ignore: keeps what this code stores as its golden run. */
const WRITES = process.env['WRITE_CHECKPOINT'] !== undefined;

let database: FreshDatabase;
let app: GovernedApp;
const boot = async () => (app = await bootOnUrl(database.url, { providers: GOLDEN }));
beforeEach(async () => {
  database = await freshDatabase(await migratedTemplate());
});
afterEach(async () => {
  await app.close();
  await database.drop();
});

const sql = <T>(text: string) => sqlOn<T>(database.url, text);
const idOf = (rows: GoldenRows): string => String(rows['agent_run']?.[0]?.['id']);
const approvalsOf = async (runId: string) => (await app.approvals.list({ runId })).items.toReversed();
const yes = async (runId: string) =>
  (await approvalsOf(runId)).map(({ id: approvalId }) => ({ approvalId, approved: true }));

it('what is stored now is the golden run of the present version, member for member', async () => {
  await boot();
  await app.play([], { agent: 'golden', input: 'go', user: ANN, threadId: 'golden-thread' });
  await app.close();
  const stored = await rowsIn(database.url);
  if (WRITES) keepGolden(CHECKPOINT_VERSION, stored);
  expect(goldenVersions()).toEqual(Array.from({ length: CHECKPOINT_VERSION + 1 }, (_, version) => version));
  expect(shapesOf(stored)).toEqual(shapesOf(goldenRun(CHECKPOINT_VERSION)));
});

it.each(goldenVersions())(
  'a run that was stored in version %d goes on to its end, and settled calls run no second time',
  async (version) => {
    const golden = goldenRun(version);
    await putRows(database.url, golden);
    const runId = idOf(golden);
    await boot();
    const [first, second] = await yes(runId);
    const decisions = [first, { approvalId: second?.approvalId ?? '', approved: false, reason: 'Not this one.' }];
    const { outcome } = await app.resumed(
      runId,
      decisions.flatMap((decision) => decision ?? []),
    );
    expect(outcome).toMatchObject({ status: 'completed' });
    expect(outcome.status === 'completed' && outcome.output).toEqual({
      results: ['c1 completed: sent 1', 'c2 completed: erased 2', 'c3 completed: sent 3', 'c4 denied: Not this one.'],
      state: { plan: { erase: [2, 4], 'not "plain"': '\u2028' } },
      usage: { requests: 2, toolCalls: 5, inputTokens: 31, outputTokens: 12 },
      toolCalls: 77,
      messages: ['user', 'assistant', 'tool', 'assistant', 'tool'],
    });
    expect(app.module.get(GoldenTools).ran).toEqual(['erase 2']);
    const [terminal] = (await app.trail.terminals({ runId })).items;
    const broken = JSON.parse(String(golden['run_step']?.[0]?.['body'])) as unknown;
    expect(JSON.stringify(broken)).toContain(terminal?.failedOperationIds[0]);
    expect(terminal?.failedOperationIds).toHaveLength(1);
  },
);

describe('a run that a newer Gatehouse has owned', () => {
  let runId: string;
  const TOLD = `Run %s was stored by a newer Gatehouse (checkpoint version ${CHECKPOINT_VERSION + 1})`;
  const told = () => TOLD.replace('%s', runId);
  const standing = () => sql('select status, epoch, owner, checkpoint_version from gatehouse.agent_run');

  beforeEach(async () => {
    const golden = goldenRun(CHECKPOINT_VERSION);
    runId = idOf(golden);
    await putRows(database.url, golden);
    const newer = `'[${CHECKPOINT_VERSION + 1},{"nobody":"knows"}]'`;
    await sql(
      `update gatehouse.agent_run set checkpoint_version = ${CHECKPOINT_VERSION + 1}, state = ${newer}, counters = ${newer}, limits = ${newer}`,
    );
    await sql(`update gatehouse.run_step set body = ${newer} where step = 2`);
    await boot();
  });

  it('is not resumed, and nothing is decided on the way', async () => {
    const before = await standing();
    const decisions = await yes(runId);
    const refused = app.resumed(runId, decisions);
    await expect(refused).rejects.toBeInstanceOf(NewerCheckpointError);
    await expect(refused).rejects.toThrow(told());
    expect(await standing()).toEqual(before);
    expect((await approvalsOf(runId)).map(({ status }) => status)).toEqual(['pending', 'pending']);
  });

  it('keeps what people decide: it waits for a replica that can read it', async () => {
    const before = await standing();
    for (const { id } of await approvalsOf(runId)) await app.approvals.decide(id, { approved: true, by: ANN });
    await app.module.get(RunSweeper).sweep();
    expect(await standing()).toEqual(before);
    expect((await approvalsOf(runId)).map(({ status }) => status)).toEqual(['approved', 'approved']);
    expect(app.module.get(GoldenTools).ran).toEqual([]);
  });

  it('is neither cancelled here, nor superseded by a new message', async () => {
    const before = await standing();
    await expect(app.runner.cancel(runId)).rejects.toThrow(told());
    const next = app.runner.start({ agent: 'golden', input: 'and now?', user: ANN, threadId: 'golden-thread' });
    await expect(next.started).rejects.toThrow(told());
    expect(await standing()).toEqual(before);
  });

  it('is left to a newer replica when its process is gone', async () => {
    await sql(`update gatehouse.agent_run set status = 'running', lease_until = now() - interval '1 minute'`);
    const before = await standing();
    await app.module.get(RunSweeper).sweep();
    expect(await standing()).toEqual(before);
  });

  it('is still listed', async () => {
    expect((await app.approvals.list({ runId })).items).toHaveLength(2);
    const { items } = await app.module.get(RunReader, { strict: false }).runs({ threadId: 'golden-thread' });
    expect(items).toMatchObject([{ id: runId, status: 'suspended', newerCheckpoint: CHECKPOINT_VERSION + 1 }]);
  });

  it('whose messages are newer is no history for anybody older', async () => {
    await sql(`update gatehouse.thread_message set body = '[${CHECKPOINT_VERSION + 1},{}]'`);
    await sql(`update gatehouse.agent_run set status = 'completed', finished_at = now()`);
    const next = app.runner.start({ agent: 'golden', input: 'and now?', user: ANN, threadId: 'golden-thread' });
    await expect(next.started).rejects.toThrow('Thread golden-thread was stored by a newer Gatehouse');
  });
});
