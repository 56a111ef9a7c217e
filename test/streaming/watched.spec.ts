import { TypeOrmModule } from '@nestjs/typeorm';
import { AgentRunner, AuditTrail, RunFeed } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { asks, eventsIn, get, jsonIn, post, runIdOf, statusOf, type Who } from '../e2e/support/client.js';
import { openDesk, type Desk } from '../e2e/support/desk.app.js';
import { internal } from '../e2e/support/store.js';
import { nobodyThere, visit, visiting, type Visit } from '../e2e/support/visit.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { sqlOn } from '../conformance/support/sql.js';

/** Two replicas; a run is driven by `here`, and may be read at `there`. */
describe('who watches a run, over two replicas', () => {
  let database: FreshDatabase;
  let here: Desk;
  let there: Desk;
  beforeEach(async () => {
    database = await freshDatabase();
    const replica = () =>
      openDesk({ persistence: {}, runs: { lease: '2s' } }, [
        TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true, extra: { max: 4 } }),
      ]);
    here = await replica();
    there = await replica();
  });
  afterEach(async () => {
    await Promise.all([here.close(), there.close()]);
    await database.drop();
  });

  it('a run that another process executes is cancelled when the client leaves that started it', async () => {
    const front = await openDesk({ persistence: {}, runs: { lease: '2s', execute: 'dispatched' } }, [
      TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true, extra: { max: 4 } }),
    ]);
    try {
      // It hands nothing over: another process finds what is queued.
      Object.assign(internal(front, 'RunDispatcher'), { dispatch: async () => undefined });
      for (const desk of [here, there]) desk.play([[call('slow', { order: 1 })], [says('done')]]);
      const visitor = visit(front);
      await visitor.seen('TOOL_CALL_END');
      const runId = (await visitor.response).headers.get('gatehouse-run-id') ?? '';
      visitor.leave();
      expect(await endOf(runId)).toEqual(CANCELLED);
    } finally {
      await front.close();
    }
  }, 60_000);

  it('what is kept of a run that lives here is dropped once another process has ended it', async () => {
    const kept = () => (Reflect.get(internal(here, 'RunIntake'), 'locals') as Map<string, unknown>).size;
    const agent = scriptedExecutor([[call('refund', { order: 1 })]]);
    const { runId, outcome } = here.get(AgentRunner).start({ agent, input: 'go', user: { id: 'ann' } });
    expect([(await outcome).status, kept()]).toEqual(['suspended', 1]);
    expect(await there.get(AgentRunner).cancel(runId)).toBe('cancelled');
    while (kept() > 0) await new Promise(setImmediate);
  }, 60_000);

  const started = async (): Promise<{ readonly visitor: Visit; readonly runId: string }> => {
    here.play([[call('slow', { order: 1 })], [says('done')]]);
    const visitor = visit(here);
    await visitor.seen('TOOL_CALL_END');
    await here.tools.slowly.reached();
    return { visitor, runId: (await visitor.response).headers.get('gatehouse-run-id') ?? '' };
  };

  const reading = async (desk: Desk, runId: string, who?: Who): Promise<Visit> => {
    const visitor = visiting((signal) => get(desk, `runs/${runId}/events`, { who, signal }));
    await visitor.seen('TOOL_CALL_END');
    return visitor;
  };

  const endOf = async (runId: string): Promise<string[]> => {
    const signal = AbortSignal.timeout(20_000);
    for await (const _frame of there.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
    signal.throwIfAborted();
    const { items } = await there.get(AuditTrail).terminals({ runId });
    return items.map(({ status, source }) => `${status} ${source}`);
  };

  /** Whether the store says, by its own clock, that somebody watches. */
  const watchedUntil = async (runId: string): Promise<Date | null> => {
    const query = `select watched_until from gatehouse.agent_run where id = '${runId}'`;
    return (await sqlOn<{ watched_until: Date | null }>(database.url, query))[0]?.watched_until ?? null;
  };

  /** The same as the library reads it. */
  const watching = (runId: string) =>
    (internal(here, 'RunStore') as { watching(id: string): Promise<{ ended?: string } | undefined> }).watching(runId);

  /** Resolves once a reader elsewhere has said so again, a lease and more after it came. */
  const renewed = async (runId: string, lease = 2_000): Promise<void> => {
    const first = await watchedUntil(runId);
    while (((await watchedUntil(runId))?.getTime() ?? 0) < (first?.getTime() ?? 0) + 2 * lease);
  };

  const CANCELLED = ['cancelled client disconnected'];

  it('a reader on another replica keeps the run alive after the last one here has left, for longer than a lease; with it the run ends', async () => {
    const { visitor, runId } = await started();
    const other = await reading(there, runId);
    visitor.leave();
    await nobodyThere(here);
    await renewed(runId);
    expect(await statusOf(here, runId)).toBe('running');
    other.leave();
    expect(await endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('that goes on with its only reader on another replica is cancelled when that one leaves', async () => {
    here.play([[call('refund', { order: 1 })], [call('slow', { order: 1 })], [says('done')]]);
    const runId = await resumedUnattended();
    const reader = await reading(there, runId);
    expect(await watchedUntil(runId)).not.toBeNull();
    reader.leave();
    expect(await endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('a replica that closes has cut its readers off, which is no leaving: the run goes on', async () => {
    const { visitor, runId } = await started();
    const cut = get(there, `runs/${runId}/events`);
    const events = eventsIn(await cut, { timeoutMs: 20_000 });
    await there.close();
    expect((await events).at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'shutting_down' });
    expect(await watching(runId)).toMatchObject({ ended: 'cut' });
    expect(await statusOf(here, runId)).toBe('running');
    here.tools.slowly.open();
    await visitor.seen('RUN_FINISHED');
    expect(await statusOf(here, runId)).toBe('completed');
  }, 60_000);

  it('somebody who may merely read, on another replica, ends nothing by leaving', async () => {
    here.play([[call('refund', { order: 1 })], [call('slow', { order: 1 })], [says('done')]]);
    const runId = await resumedUnattended();
    const viewer = await reading(there, runId, { user: 'dora', org: 'acme', roles: 'run.read' });
    viewer.leave();
    await nobodyThere(there);
    while ((await watching(runId))?.ended !== 'gone');
    expect(await statusOf(here, runId)).toBe('running');
    here.tools.slowly.open();
    expect(await endOf(runId)).toEqual(['completed null']);
  }, 60_000);

  it('a run that was resumed with nobody attached is not cancelled', async () => {
    here.play([[call('refund', { order: 1 })], [call('slow', { order: 1 })], [says('done')]]);
    const runId = await resumedUnattended();
    const leaseAt = async () =>
      (
        await sqlOn<{ lease_until: Date }>(
          database.url,
          `select lease_until from gatehouse.agent_run where id = '${runId}'`,
        )
      )[0]?.lease_until.getTime() ?? 0;
    const first = await leaseAt();
    // Its lease was renewed, and with it looked at, more than once.
    while ((await leaseAt()) < first + 2_000);
    expect(await statusOf(here, runId)).toBe('running');
    here.tools.slowly.open();
    expect(await endOf(runId)).toEqual(['completed null']);
  }, 60_000);

  /** Its client has left while it waited; the decision comes from elsewhere. */
  async function resumedUnattended(): Promise<string> {
    const input = asks('go');
    const visitor = visit(here, input);
    await visitor.seen('RUN_FINISHED');
    visitor.leave();
    await nobodyThere(here);
    const runId = await runIdOf(here, input);
    const { items } = await jsonIn<{ items: { id: string; argumentsDigest: string }[] }>(
      get(here, `approvals?runId=${runId}`),
    );
    const { id = '', argumentsDigest } = items[0] ?? {};
    await post(here, `approvals/${id}/decision`, { approved: true, argumentsDigest });
    await here.tools.slowly.reached();
    return runId;
  }
});
