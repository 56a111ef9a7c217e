import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

import { Client } from 'pg';
import { InProcessWakeup } from '../../libs/gatehouse/src/persistence/in-process.wakeup.js';
import { PostgresWakeup } from '../../libs/gatehouse/src/persistence/postgres/postgres.wakeup.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { CuttingProxy } from './cutting.proxy.js';

describe('the in-process wakeup', () => {
  it('tells the listeners of a run, and nobody who left', () => {
    const wakeup = new InProcessWakeup();
    const heard: string[] = [];
    const leave = [
      wakeup.subscribe('a', () => heard.push('first')),
      wakeup.subscribe('a', () => heard.push('second')),
      wakeup.subscribe('b', () => heard.push('other')),
    ];
    wakeup.notify('a');
    leave[0]?.();
    leave[0]?.();
    wakeup.notify('a');
    wakeup.notify('unknown');
    expect(heard).toEqual(['first', 'second', 'second']);
    leave.forEach((end) => end());
    expect(wakeup.waiting).toBe(0);
  });

  it('counts one function subscribed twice as two subscriptions', () => {
    const wakeup = new InProcessWakeup();
    let calls = 0;
    const listener = (): void => void (calls += 1);
    const end = wakeup.subscribe('a', listener);
    wakeup.subscribe('a', listener);
    end();
    wakeup.notify('a');
    expect(calls).toBe(1);
  });

  it('lets a listener leave, or throw, while others are told', () => {
    const wakeup = new InProcessWakeup();
    const heard: string[] = [];
    const end = wakeup.subscribe('a', () => {
      end();
      throw new Error('mine');
    });
    wakeup.subscribe('a', () => heard.push('still'));
    wakeup.notify('a');
    wakeup.notify('a');
    expect(heard).toEqual(['still', 'still']);
  });
});

describe('the Postgres wakeup', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  const open = async (url = database.url): Promise<PostgresWakeup> => {
    const wakeup = new PostgresWakeup({ type: 'postgres', url }, 'gatehouse');
    await wakeup.onApplicationBootstrap();
    return wakeup;
  };
  const heard = (wakeup: PostgresWakeup, runId: string): Promise<void> =>
    new Promise((resolve) => {
      const end = wakeup.subscribe(runId, () => {
        end();
        resolve();
      });
    });

  it('tells another process, and at once its own', async () => {
    const [here, there] = [await open(), await open()];
    const runId = newId();
    let own = 0;
    here.subscribe(runId, () => void (own += 1));
    const other = heard(there, runId);
    here.notify(runId);
    expect(own).toBe(1);
    await other;
    expect(own).toBe(1);
    await Promise.all([here.onApplicationShutdown(), there.onApplicationShutdown()]);
  });

  it('sends what is said in one turn as one batch, each run once', async () => {
    const wakeup = await open();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query('LISTEN gatehouse_run');
    const payloads: string[] = [];
    const ids = [newId(), newId()];
    const all = new Promise<void>((resolve) =>
      client.on('notification', ({ payload }) => void (payloads.push(payload ?? '') === 3 && resolve())),
    );
    wakeup.notify(ids[0] ?? '');
    wakeup.notify(ids[1] ?? '');
    wakeup.notify(ids[0] ?? '');
    await new Promise((done) => setImmediate(done));
    const last = newId();
    wakeup.notify(last);
    await all;
    expect(payloads).toEqual([...ids, last]);
    await client.end();
    await wakeup.onApplicationShutdown();
  });

  it('tells everybody after a reconnect, and goes on', async () => {
    const proxy = await CuttingProxy.open(database.url);
    const [here, there] = [await open(proxy.url), await open()];
    const runId = newId();
    const missed = heard(here, runId);
    proxy.goAway();
    proxy.comeBack();
    await missed;
    const next = heard(here, runId);
    there.notify(runId);
    await next;
    await here.onApplicationShutdown();
    await there.onApplicationShutdown();
    await proxy.close();
  });

  it('closes in bounded time while a database takes its connection and says nothing', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const opening = open(`postgres://nobody@127.0.0.1:${port}/nothing`);
    const [connection] = (await once(silent, 'connection')) as [Socket];
    const gone = once(
      connection.resume().on('error', () => undefined),
      'close',
    );
    await (await opening).onApplicationShutdown();
    await gone;
    silent.close();
  }, 30_000);

  it('starts, works here and closes without a database', async () => {
    const wakeup = await open('postgres://nobody@127.0.0.1:1/nothing');
    let calls = 0;
    wakeup.subscribe('a', () => void (calls += 1));
    wakeup.notify('a');
    expect(calls).toBe(1);
    await wakeup.onApplicationShutdown();
  });
});
