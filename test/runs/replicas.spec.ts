import { AgentRunner } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';
import { Client } from 'pg';

import { RunSweeper } from '../../libs/gatehouse/src/runs/run.sweeper.js';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { freshDatabase } from '../support/postgres.js';

const providers = [Bodies, OrderTools, DeskAgent];
const apps: GovernedApp[] = [];
let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeEach(async () => {
  database = await freshDatabase(await migratedTemplate());
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await database.drop();
});

const replica = async () => {
  const app = await bootOnUrl(database.url, { providers });
  apps.push(app);
  return app;
};

const sql = async (text: string, values: unknown[] = []) => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(text, values);
  } finally {
    await client.end();
  }
};

const started = async (app: GovernedApp, body: string) => {
  while (!app.module.get(Bodies).ran.includes(body)) await new Promise((resolve) => setImmediate(resolve));
};

const pending = async (app: GovernedApp, runId: string) => (await app.approvals.list({ runId })).items[0]?.id ?? '';

describe('a run with an inline executor', () => {
  const waiting = async (app: GovernedApp) => {
    const agent = scriptedExecutor([[call('refund', { order: 7, amount: 25 })], [says('ok')]]);
    const handle = app.runner.start({ agent, input: 'go', user: ANN });
    await handle.outcome;
    return handle.runId;
  };

  it('decided elsewhere, runs nothing there, and goes on where it lives', async () => {
    const [home, away] = [await replica(), await replica()];
    const runId = await waiting(home);
    await away.approvals.decide(await pending(away, runId), { approved: true, by: ANN });
    expect(away.module.get(Bodies).ran).toEqual([]);
    await home.module.get(RunSweeper).sweep();
    await started(home, 'refund 7 25');
    expect(away.module.get(Bodies).ran).toEqual([]);
  });

  it('is not resumed elsewhere, and a decision that came along decides nothing', async () => {
    const [home, away] = [await replica(), await replica()];
    const runId = await waiting(home);
    const approvalId = await pending(away, runId);
    const handle = away.runner.resume({ runId, user: ANN, decisions: [{ approvalId, approved: true }] });
    await expect(handle.started).rejects.toThrow('another process');
    expect((await away.approvals.get(approvalId)).status).toBe('pending');
  });

  it('is interrupted by any replica once its process has not gone on for a lease', async () => {
    const [home, away] = [await replica(), await replica()];
    const runId = await waiting(home);
    await away.approvals.decide(await pending(away, runId), { approved: true, by: ANN });
    await away.module.get(RunSweeper).sweep();
    expect((await away.trail.terminals({ runId })).items).toEqual([]);
    await sql("update gatehouse.approval_request set decided_at = decided_at - interval '2 minutes'");
    await away.module.get(RunSweeper).sweep();
    expect((await away.trail.terminals({ runId })).items).toMatchObject([{ status: 'interrupted' }]);
    expect((await away.approvals.list({ runId })).items).toMatchObject([{ status: 'cancelled' }]);
    expect(await away.statuses(runId)).toEqual(['refund interrupted']);
  });
});

it('a cancellation is heard by the process that runs it long before its next renewal', async () => {
  const [home, away] = [await replica(), await replica()];
  const told = home.play([[call('patient')]]);
  await started(home, 'patient');
  const [runId] = await runningRuns();
  await away.module.get(AgentRunner).cancel(runId ?? '', 'from elsewhere');
  const { outcome } = await told;
  expect(outcome).toMatchObject({ status: 'cancelled', error: { reason: 'from elsewhere' } });
});

it('an orphan that cannot be ended does not keep the others waiting', async () => {
  const [home, away] = [await replica(), await replica()];
  const first = home.runner.start({ agent: scriptedExecutor([[call('patient')]]), input: 'go', user: ANN });
  await started(home, 'patient');
  const second = home.play([[call('deaf'), call('patient')]]);
  await started(home, 'deaf');
  const [broken, whole] = await runningRuns();
  await sql("update gatehouse.run_step set body = '{' where run_id = $1", [broken]);
  await sql("update gatehouse.agent_run set lease_until = now() - interval '1 second'");
  await away.module.get(RunSweeper).sweep();
  const ended = (await away.trail.terminals({})).items.map(({ runId, status }) => `${runId} ${status}`);
  expect(ended).toEqual([`${whole} interrupted`]);
  for (const runId of [broken, whole]) await home.runner.cancel(runId ?? '');
  await Promise.allSettled([first.outcome, second]);
});

it('an id that is used a second time does not take the run under way out of reach', async () => {
  const app = await replica();
  const told = app.play([[call('patient')]]);
  await started(app, 'patient');
  const [runId = ''] = await runningRuns();
  const again = app.runner.start({ agent: scriptedExecutor([[says('x')]]), input: 'go', user: ANN, runId });
  await expect(again.started).rejects.toThrow('already a run with this id');
  expect(await app.runner.cancel(runId)).toBe('cancelled');
  expect((await told).outcome.status).toBe('cancelled');
});

async function runningRuns(): Promise<string[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    "select id from gatehouse.agent_run where status = 'running' order by id",
  );
  await client.end();
  return rows.map(({ id }) => id);
}
