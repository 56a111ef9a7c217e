import { Client } from 'pg';
import { call, says } from 'nest-gatehouse/testing';

import { RunSweeper } from '../../libs/gatehouse/src/runs/run.sweeper.js';
import { CuttableProxy } from '../support/cuttable.proxy.js';
import { freshDatabase } from '../support/postgres.js';
import { sealedEvidence } from '../support/sealed.evidence.js';
import type { GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';

const providers = [Bodies, OrderTools, DeskAgent];
const apps: GovernedApp[] = [];
const proxies: CuttableProxy[] = [];
let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeEach(async () => {
  database = await freshDatabase(await migratedTemplate());
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  await database.drop();
});

const start = async (url = database.url) => {
  const app = await bootOnUrl(url, { providers });
  apps.push(app);
  return app;
};

const sql = async <T>(text: string, values: unknown[] = []): Promise<T[]> => {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
};

describe('a database that goes away', () => {
  it('every connection killed mid-tool: the run completes, every fact is there', async () => {
    const app = await start();
    app.module.get(OrderTools).before = async () => {
      await sql(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    };
    const { outcome, handle } = await app.play([[call('lookup', { order: 1 })], [says('done')]]);
    expect(outcome.status).toBe('completed');
    expect(await app.statuses(handle.runId)).toEqual(['lookup completed']);
    await sealedEvidence(sql);
    expect(await sql('select status from gatehouse.terminal_record')).toEqual([{ status: 'completed' }]);
  });

  it('the line is cut for a while mid-run: it waits, goes on, and nothing is lost or doubled', async () => {
    const { hostname, port } = new URL(database.url);
    const proxy = await CuttableProxy.to(hostname, Number(port));
    proxies.push(proxy);
    const through = new URL(database.url);
    through.port = String(proxy.port);
    const app = await start(through.href);
    app.module.get(OrderTools).before = () => {
      proxy.cut();
      setTimeout(() => proxy.mend(), 400);
    };
    const { outcome, handle, events } = await app.play([[call('lookup', { order: 1 })], [says('done')]]);
    expect(outcome.status).toBe('completed');
    expect(await app.statuses(handle.runId)).toEqual(['lookup completed']);
    expect(events.filter(({ type }) => type === 'tool.result')).toHaveLength(1);
    expect(app.module.get(Bodies).ran).toEqual(['lookup 1']);
  });
});

describe('a process that is lost', () => {
  const orphaned = async () => {
    const app = await start();
    const told = app.play([[call('patient'), call('lookup', { order: 1 })]], { limits: { parallelToolCalls: 1 } });
    while (!app.module.get(Bodies).ran.includes('patient')) await new Promise((resolve) => setImmediate(resolve));
    const [run] = await sql<{ id: string }>(
      "update gatehouse.agent_run set lease_until = now() - interval '1 second' returning id",
    );
    return { app, told, runId: run?.id ?? '' };
  };

  it('[350] another replica ends its run: interrupted once, the open call too, and the history says that it may have happened', async () => {
    const { runId } = await orphaned();
    const other = await start();
    await other.module.get(RunSweeper).sweep();
    expect((await other.trail.terminals({ runId })).items).toMatchObject([{ status: 'interrupted' }]);
    expect(await other.statuses(runId)).toEqual(['patient interrupted', 'lookup interrupted']);
    const runs = (await other.trail.executions({ runId, kind: 'run' })).items;
    expect(runs.map(({ error }) => error)).toEqual(['interrupted: process lost']);
  });

  it('[362] swept but alive: it starts nothing more and writes no second terminal record', async () => {
    const { app, told, runId } = await orphaned();
    const other = await start();
    await other.module.get(RunSweeper).sweep();
    await app.runner.cancel(runId);
    expect((await told).outcome.status).toBe('interrupted');
    expect(app.module.get(Bodies).ran).toEqual(['patient']);
    expect((await other.trail.terminals({ runId })).items).toHaveLength(1);
  });

  it('another process resumes a run that waits, with the approval given there', async () => {
    const app = await start();
    const { handle } = await app.play([[call('refund', { order: 7, amount: 25 })], [says('ok')]], { agent: 'desk' });
    await apps.pop()?.close();
    const other = await start();
    const [approval] = (await other.approvals.list({ runId: handle.runId })).items;
    const { outcome } = await other.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'refunded 25' });
    expect(other.module.get(Bodies).ran).toEqual(['refund 7 25']);
  });
});

describe('the evidence', () => {
  it('one execution row for each started method and none for calls that did not run; rows cannot be changed', async () => {
    const app = await start();
    await app.play([
      [call('lookup', { order: 1 }), call('refund', { order: 1, amount: 1 }), call('nope'), call('broken')],
      [says('x')],
    ]);
    await sealedEvidence(sql);
    expect(await sql('select tool_name, success, error from gatehouse.tool_execution order by success desc')).toEqual([
      { tool_name: 'lookup', success: true, error: null },
      {
        tool_name: 'broken',
        success: false,
        error: 'QueryFailedError: connect ECONNREFUSED postgres://desk:hunter2@10.0.0.1/desk',
      },
    ]);
    await expect(sql("update gatehouse.audit_log set status = 'success'")).rejects.toThrow(
      /append-only|refused|not allowed/i,
    );
    await expect(sql('delete from gatehouse.audit_log')).rejects.toThrow(/append-only|refused|not allowed/i);
  });
});
