import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail, RunFeed, type GatehouseModuleOptions } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asks, eventsIn, fresh, get, jsonIn, post, problemIn, runIdOf, statusOf, typesOf } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';
import { internal } from './support/store.js';

let database: FreshDatabase;
const desks: Desk[] = [];
const gate = { current: new Gate() };
beforeEach(async () => {
  database = await freshDatabase();
  gate.current = new Gate();
});
afterEach(async () => {
  gate.current.open();
  await Promise.all(desks.splice(0).map((desk) => desk.close()));
  await database.drop();
});

/** One of several servers on the same database; each plays the same story: a refund that a person approves, a look-up, a word. */
const server = async (runs: GatehouseModuleOptions['runs'] = {}, autoResume = true): Promise<Desk> => {
  const postgres = { type: 'postgres', url: database.url, autoLoadEntities: true, extra: { max: 4 } } as const;
  const options = { persistence: {}, approvals: { autoResume }, runs: { lease: '2s', ...runs } } as const;
  const desk = await openDesk(options, [TypeOrmModule.forRoot(postgres)]);
  desk.play([[call('refund', { order: 1 })], [call('lookup', { order: 9 })], [says('Done.')]]);
  desks.push(desk);
  return desk;
};

/** A run that waits at this server for its one approval, and the answer that approves it. */
const waiting = async (desk: Desk) => {
  const input = asks('refund 1');
  const first = await eventsIn(await post(desk, 'runs', input));
  const { interrupts } = first.at(-1)?.event['outcome'] as { interrupts: { id: string }[] };
  const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } }));
  const { threadId } = input;
  return { runId: await runIdOf(desk, input), threadId, answer: asks('', { threadId, messages: [], resume }) };
};

/** This server's writes of one kind wait at the gate. */
const hold = (desk: Desk, write: 'takeOver' | 'finish'): void => {
  const store = internal(desk, 'RunStore') as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const original = store[write];
  store[write] = async (...given) => {
    await gate.current.pass();
    return original?.apply(store, given);
  };
};

/** How the run ended, once it has, as this server tells it. */
const end = async (desk: Desk, runId: string): Promise<string[]> => {
  const signal = AbortSignal.timeout(20_000);
  for await (const _ of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
  signal.throwIfAborted();
  const { items } = await desk.get(AuditTrail).terminals({ runId });
  return items.map(({ status, source }) => `${status} ${source}`);
};

const approvals = async (desk: Desk, runId: string): Promise<string[]> =>
  (await jsonIn<{ items: { status: string }[] }>(get(desk, `approvals?runId=${runId}`))).items.map(
    ({ status }) => status,
  );

it('a server that closes while it cancels a run that waits leaves it to nobody who goes on with it: another one cancels it', async () => {
  const [here, there] = [await server({ drain: 100, grace: 100 }), await server()];
  const { runId } = await waiting(here);
  hold(here, 'finish');
  const answer = post(here, `runs/${runId}/cancel`, {}).catch(() => undefined);
  await gate.current.reached();
  await here.close();
  desks.splice(desks.indexOf(here), 1);
  expect(await end(there, runId)).toEqual(['cancelled requested']);
  expect([await approvals(there, runId), here.tools.done, there.tools.done]).toEqual([['cancelled'], [], []]);
  gate.current.open();
  await answer;
  expect(await end(there, runId)).toEqual(['cancelled requested']);
}, 60_000);

it('a server that closes as a resumption begins runs nothing and says so; another one goes on, and the approval is spent once', async () => {
  const here = await server({ grace: 100 });
  const { runId, answer } = await waiting(here);
  hold(here, 'takeOver');
  const refused = post(here, 'runs', answer);
  await gate.current.reached();
  const drain = internal(here, 'RunDrain') as { beforeApplicationShutdown(): Promise<void> };
  const drained = drain.beforeApplicationShutdown.bind(drain);
  const draining = new Promise<void>((resolve) => {
    drain.beforeApplicationShutdown = () => {
      resolve();
      return drained();
    };
  });
  const closing = here.close();
  await draining;
  gate.current.open();
  expect(await problemIn(await refused)).toBe('503 shutting_down');
  await closing;
  desks.splice(desks.indexOf(here), 1);
  expect(here.tools.done).toEqual([]);

  const there = await server({}, false);
  expect([await statusOf(there, runId), await approvals(there, runId)]).toEqual(['suspended', ['approved']]);
  const again = { ...answer, runId: fresh('segment') };
  const followed = await eventsIn(await post(there, 'runs', again), { timeoutMs: 20_000 });
  expect(typesOf(followed).at(-1)).toBe('RUN_FINISHED');
  expect(await end(there, runId)).toEqual(['completed null']);
  expect([await approvals(there, runId), there.tools.done]).toEqual([['done'], ['refund 1 0', 'lookup 9']]);
}, 60_000);

it('a client that names its other runs after one that waits can still cancel it, and say something else', async () => {
  const desk = await server();
  const { runId, threadId } = await waiting(desk);
  for (const name of [`${runId}:end`, `${runId}:lost`]) {
    await eventsIn(await post(desk, 'runs', asks('other', { runId: name })));
  }
  expect(await jsonIn(post(desk, `runs/${runId}/cancel`, {}))).toMatchObject({ status: 'cancelled' });
  expect(await statusOf(desk, runId)).toBe('cancelled');
  expect((await post(desk, 'runs', asks('something else', { threadId }))).status).toBe(200);
});
