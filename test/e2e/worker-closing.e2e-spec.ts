import { BullModule } from '@nestjs/bullmq';
import { TypeOrmModule } from '@nestjs/typeorm';
import { createPostgresBackend, setDefaultBackendFactory } from 'bullmq';
import { AuditTrail, RunFeed } from 'nest-gatehouse';
import { RunQueueModule } from 'nest-gatehouse/bullmq';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asks, eventsIn, get, jsonIn, post, runIdOf } from './support/client.js';
import { DeskAgent, openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';
import { internal } from './support/store.js';

// As an application does in its main file: BullMQ's queues live in Postgres from here on.
setDefaultBackendFactory(createPostgresBackend);

let database: FreshDatabase;
const desks: Desk[] = [];
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  await Promise.all(desks.splice(0).map((desk) => desk.close()));
  await database.drop();
});

const open = async (role: 'server' | 'worker'): Promise<Desk> => {
  const isWorker = role === 'worker';
  const desk = await openDesk(
    { persistence: {}, runs: { lease: '4s', grace: 500, execute: isWorker ? 'here' : 'dispatched' } },
    [
      TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
      BullModule.forRoot({ connection: { connectionString: database.url, migrate: true } }),
      RunQueueModule.register(isWorker ? { work: { concurrency: 2 } } : {}),
    ],
    (app) => {
      // Before it boots: a worker may find runs at once.
      app.get(DeskAgent).script = scriptedExecutor([[call('refund', { order: 1 })], [says('Done.')]]);
    },
  );
  desks.push(desk);
  return desk;
};

it('a worker that closes as it takes an approved run runs nothing of it; the next worker goes on, once', async () => {
  const [server, first] = [await open('server'), await open('worker')];
  const input = asks('refund 1');
  const asked = await eventsIn(await post(server, 'runs', input), { timeoutMs: 20_000 });
  const { interrupts } = asked.at(-1)?.event['outcome'] as { interrupts: { id: string }[] };
  const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } }));
  const runId = await runIdOf(server, input);

  const gate = new Gate();
  const store = internal(first, 'RunStore') as { takeOver(...given: unknown[]): Promise<unknown> };
  const takeOver = store.takeOver.bind(store);
  store.takeOver = async (...given) => {
    await gate.pass();
    return takeOver(...given);
  };
  const answered = await post(server, 'runs', asks('', { threadId: input['threadId'], messages: [], resume }));
  await gate.reached();
  const drain = internal(first, 'RunDrain') as { beforeApplicationShutdown(): Promise<void> };
  const drained = drain.beforeApplicationShutdown.bind(drain);
  const draining = new Promise<void>((resolve) => {
    drain.beforeApplicationShutdown = () => {
      const done = drained();
      resolve();
      return done;
    };
  });
  const closing = first.close();
  await draining;
  gate.open();
  await closing;
  desks.splice(desks.indexOf(first), 1);
  const told = await eventsIn(answered, { timeoutMs: 20_000 });
  expect(told.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'run_moves' });
  expect([first.tools.done, (await server.get(AuditTrail).terminals({ runId })).items]).toEqual([[], []]);

  const second = await open('worker');
  const signal = AbortSignal.timeout(20_000);
  for await (const _ of server.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
  signal.throwIfAborted();
  const { items } = await jsonIn<{ items: { status: string }[] }>(get(server, `approvals?runId=${runId}`));
  expect([items.map(({ status }) => status), second.tools.done]).toEqual([['done'], ['refund 1 0']]);
  expect((await server.get(AuditTrail).terminals({ runId })).items).toMatchObject([{ status: 'completed' }]);
}, 90_000);
