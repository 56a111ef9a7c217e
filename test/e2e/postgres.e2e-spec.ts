import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail, RunFeed, Wakeup } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asks, eventsIn, get, jsonIn, post, runIdOf, statusOf, typesOf } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

/** Resolves once the run has said its last word. */
const ended = async (desk: Desk, runId: string): Promise<void> => {
  const signal = AbortSignal.timeout(10_000);
  for await (const _frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
  signal.throwIfAborted();
};

describe('two replicas on one database', () => {
  let database: FreshDatabase;
  let here: Desk;
  let there: Desk;
  beforeAll(async () => {
    database = await freshDatabase();
    const replica = () =>
      openDesk({ persistence: {}, runs: { lease: '4s' } }, [
        TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
      ]);
    here = await replica();
    there = await replica();
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    await database.drop();
  });

  it('a client that leaves mid-tool: one cancelled terminal record, one agent.run record', async () => {
    here.play([[call('slow', { order: 1 })], [says('never')]]);
    const input = asks('go');
    const leaving = new AbortController();
    const response = await post(here, 'runs', input, { signal: leaving.signal });
    const runId = response.headers.get('gatehouse-run-id') ?? '';
    await here.tools.slowly.reached();
    leaving.abort();
    await ended(there, runId);
    const trail = there.get(AuditTrail);
    const terminals = (await trail.terminals({ runId })).items.map(({ status, source }) => `${status}: ${source}`);
    const records = (await trail.executions({ runId, kind: 'run' })).items.map(
      ({ toolName, error }) => `${toolName} ${error}`,
    );
    expect({ terminals, records }).toEqual({
      terminals: ['cancelled: client disconnected'],
      records: ['agent.run cancelled: client disconnected'],
    });
  });

  it('any replica shows the events of a run that another one drives, live, and cancels it', async () => {
    here.play([[call('slow', { order: 1 })], [says('never')]]);
    const input = asks('go');
    const first = await post(here, 'runs', input);
    const runId = first.headers.get('gatehouse-run-id') ?? '';
    const leaving = new AbortController();
    await get(there, `runs/${runId}/events`, { signal: leaving.signal });
    leaving.abort();
    while (there.busy() > 0) await new Promise(setImmediate);
    expect(await statusOf(here, runId)).toBe('running');
    const second = await get(there, `runs/${runId}/events`);
    const [driven, watched, answer] = await Promise.all([
      eventsIn(first, { timeoutMs: 15_000 }),
      eventsIn(second, { timeoutMs: 15_000 }),
      post(there, `runs/${runId}/cancel`, { reason: 'enough' }),
    ]);
    expect(answer.status).toBe(200);
    expect(watched).toEqual(driven);
    expect(watched.at(-1)?.event).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'cancelled' },
      metadata: { gatehouse: { source: 'requested', reason: 'enough' } },
    });
    expect(watched.map(({ id }) => id)).toEqual(watched.map((_, at) => at + 1));
  }, 30_000);

  it('a decision given to one replica goes on there, and the client of the other follows', async () => {
    for (const desk of [here, there]) desk.play([[call('refund', { order: 7, amount: 5 })], [says('Refunded.')]]);
    const input = asks('refund 7');
    const first = await eventsIn(await post(here, 'runs', input));
    const runId = await runIdOf(there, input);
    expect(await statusOf(there, runId)).toBe('suspended');
    const following = await get(here, `runs/${runId}/events`, {
      headers: { 'last-event-id': String(first.at(-1)?.id) },
    });
    const { items } = await jsonIn<{ items: { id: string; argumentsDigest: string }[] }>(
      get(there, `approvals?runId=${runId}&status=pending`),
    );
    const { id, argumentsDigest } = items[0] ?? { id: '', argumentsDigest: '' };
    const decision = await post(there, `approvals/${id}/decision`, { approved: true, argumentsDigest });
    expect(decision.status).toBe(200);
    const rest = await eventsIn(following, { timeoutMs: 15_000 });
    expect([typesOf(rest)[0], rest.at(-1)?.event['outcome']]).toEqual(['RUN_STARTED', { type: 'success' }]);
    expect(rest[0]?.id).toBe((first.at(-1)?.id ?? 0) + 1);
    expect([...here.tools.done, ...there.tools.done].filter((done) => done.startsWith('refund'))).toEqual([
      'refund 7 5',
    ]);
    const whole = await eventsIn(await get(there, `runs/${runId}/events`));
    expect(whole).toEqual([...first, ...rest]);
  }, 30_000);

  it('a reader on another replica whom no notification reaches hears of the end by the next poll, 5 s later', async () => {
    here.play([[call('slow', { order: 2 })], [says('done')]]);
    const slowly = here.tools.hold();
    const first = await post(here, 'runs', asks('go'));
    await slowly.reached();
    const wakeup = there.get(Wakeup);
    const heard = wakeup.subscribe.bind(wakeup);
    wakeup.subscribe = () => () => undefined;
    try {
      const attached = performance.now();
      const second = await get(there, `runs/${first.headers.get('gatehouse-run-id')}/events`);
      const watched = eventsIn(second, { timeoutMs: 15_000 });
      slowly.open();
      const driven = await eventsIn(first);
      expect(await watched).toEqual(driven);
      const took = performance.now() - attached;
      expect(driven.at(-1)?.event['outcome']).toEqual({ type: 'success' });
      // Not before the poll: nothing else could have told it.
      expect(took).toBeGreaterThan(4_900);
      expect(took).toBeLessThan(10_000);
    } finally {
      wakeup.subscribe = heard;
    }
  }, 30_000);

  it('what no uuid can be is simply not there', async () => {
    const paths = ['runs/x', 'runs/x/events', 'approvals/x'];
    const statuses = await Promise.all(paths.map(async (path) => (await get(here, path)).status));
    expect(statuses).toEqual([404, 404, 404]);
    const lists = ['runs?threadId=x', 'approvals?runId=x'];
    expect(await Promise.all(lists.map(async (path) => jsonIn(get(here, path))))).toEqual([
      { items: [], nextCursor: null },
      { items: [], nextCursor: null },
    ]);
  });
});
