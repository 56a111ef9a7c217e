import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';

import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail, RunStreams, Wakeup } from 'nest-gatehouse';
import { call } from 'nest-gatehouse/testing';

import { freshDatabase } from '../support/postgres.js';
import { chatBody, dataIn, userMessage } from './support/chat.js';
import { asks, eventsIn, fresh, get, post } from './support/client.js';
import { openDesk } from './support/desk.app.js';
import { RecordingLogger } from './support/recording.logger.js';
import { internal } from './support/store.js';
import { says4ever } from './support/visit.js';

const STREAMS = 200;

/** What the desk's shutdown is given, in milliseconds. */
const DRAIN = 8_000;
const GRACE = 2_000;

describe('an application that closes', () => {
  it(`with ${STREAMS} open streams ends within its bound, and every client got its terminal event (fastify/sse#57)`, async () => {
    const desk = await openDesk({
      audit: { loggers: [RecordingLogger] },
      runs: { drain: DRAIN, grace: GRACE },
    });
    desk.play([says4ever]);
    const responses = await Promise.all(Array.from({ length: STREAMS }, () => post(desk, 'runs', asks('go'))));
    const reading = responses.map((response) => eventsIn(response, { timeoutMs: 30_000 }));
    while (desk.get(RunStreams).count < STREAMS) await new Promise(setImmediate);
    const started = performance.now();
    await desk.close();
    const took = performance.now() - started;
    const last = (await Promise.all(reading)).map((events) => events.at(-1)?.event);
    const end = {
      type: 'RUN_FINISHED',
      outcome: { type: 'cancelled' },
      metadata: { gatehouse: { source: 'shutdown', reason: '' } },
    };
    expect(last).toMatchObject(Array.from({ length: STREAMS }, () => end));
    expect(took).toBeLessThan(DRAIN + 3 * GRACE);
    const trail = desk.get(AuditTrail);
    const { items } = await trail.terminals({ limit: 500 });
    expect(items.map(({ status, source }) => `${status} ${source}`)).toEqual(
      Array.from({ length: STREAMS }, () => 'cancelled shutdown'),
    );
    expect(desk.get(RecordingLogger).events).toHaveLength(STREAMS);
    expect([desk.get(RunStreams).count, Reflect.get(desk.get(Wakeup), 'waiting') as number]).toEqual([0, 0]);
  }, 90_000);

  it('with 80 runs, 60 chats and 60 readers that came back, on Postgres: the same, and nothing is written once the data source is closed (nestjs/nest#14118)', async () => {
    const database = await freshDatabase();
    const open = () =>
      openDesk({ persistence: {}, runs: { drain: DRAIN, grace: GRACE } }, [
        TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
      ]);
    try {
      const desk = await open();
      desk.play([says4ever]);
      const times = <T>(count: number, of: (at: number) => Promise<T>) =>
        Promise.all(Array.from({ length: count }, (_, at) => of(at)));
      const runs = await times(80, () => post(desk, 'runs', asks('go')));
      const chats = await times(60, () => post(desk, 'chat', chatBody(fresh('chat'), [userMessage('go')])));
      const back = await times(60, (at) => get(desk, `runs/${runs[at]?.headers.get('gatehouse-run-id')}/events`));
      const reading = [...runs, ...back].map((response) => eventsIn(response, { timeoutMs: 30_000 }));
      const chatting = chats.map(dataIn);
      while (desk.get(RunStreams).count < STREAMS) await new Promise(setImmediate);
      const started = performance.now();
      await desk.close();
      const took = performance.now() - started;
      const ends = (await Promise.all(reading)).map((events) => events.at(-1)?.event);
      expect(ends).toMatchObject(
        Array.from({ length: 140 }, () => ({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })),
      );
      expect((await Promise.all(chatting)).map((data) => data.slice(-2))).toEqual(
        Array.from({ length: 60 }, () => ['{"type":"abort"}', '[DONE]']),
      );
      expect(took).toBeLessThan(DRAIN + 3 * GRACE);
      const next = await open();
      const { items } = await next.get(AuditTrail).terminals({ limit: 500 });
      await next.close();
      expect(items.map(({ status, source }) => `${status} ${source}`)).toEqual(
        Array.from({ length: 140 }, () => 'cancelled shutdown'),
      );
    } finally {
      await database.drop();
    }
  }, 90_000);

  it('closes twice as once', async () => {
    const desk = await openDesk();
    desk.play([says4ever]);
    const events = eventsIn(await post(desk, 'runs', asks('go')));
    await Promise.all([desk.close(), desk.close()]);
    expect((await events).at(-1)?.event.type).toBe('RUN_FINISHED');
  });

  /** An application's own provider, which is told of the end too. */
  const host = () => {
    const told: string[] = [];
    class Host {}
    const hooks = {
      onModuleDestroy: () => told.push('onModuleDestroy'),
      beforeApplicationShutdown: () => told.push('beforeApplicationShutdown'),
      onApplicationShutdown: () => told.push('onApplicationShutdown'),
    };
    class HostModule {}
    return { told, module: { module: HostModule, providers: [{ provide: Host, useValue: hooks }] } };
  };
  const HOOKS = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];

  it('with an open stream and a connection that is kept alive reaches its last hook (nestjs/nest#9517, #7611)', async () => {
    const { told, module } = host();
    const desk = await openDesk({ runs: { drain: DRAIN, grace: GRACE } }, [module]);
    const agent = new Agent({ keepAlive: true });
    const idle = request(`${desk.url}/nothing-here`, { agent }).on('error', () => undefined);
    const [answer] = (await once(idle.end(), 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    desk.play([says4ever]);
    const events = eventsIn(await post(desk, 'runs', asks('go')));
    const started = performance.now();
    await desk.close();
    expect(performance.now() - started).toBeLessThan(DRAIN + 3 * GRACE);
    expect((await events).at(-1)?.event.type).toBe('RUN_FINISHED');
    expect(told).toEqual(HOOKS);
    agent.destroy();
  });

  it('whose store is gone still closes, within its bound, and skips no hook of the others (nestjs/nest#17039)', async () => {
    const { told, module } = host();
    const desk = await openDesk({ runs: { drain: 500, grace: 100 } }, [module]);
    desk.play([says4ever]);
    const response = await post(desk, 'runs', asks('go'));
    const store = internal(desk, 'RunStore');
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(store)))
      if (name !== 'constructor') Object.assign(store, { [name]: () => Promise.reject(new Error('gone')) });
    const events = eventsIn(response);
    const started = performance.now();
    await desk.close();
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(told).toEqual(HOOKS);
    expect((await events).at(-1)?.event.type).toMatch(/^RUN_(ERROR|FINISHED)$/);
  });

  it('takes no new run, and lets nobody attach, while it drains: 503 (nestjs/nest#11416)', async () => {
    const desk = await openDesk({ runs: { grace: 50 } });
    const slowly = desk.tools.hold();
    desk.play([[call('slow', { order: 1 })]]);
    const first = await post(desk, 'runs', asks('go'));
    const runId = first.headers.get('gatehouse-run-id') ?? '';
    await slowly.reached();
    const closing = desk.close();
    const [started, attached] = await Promise.all([
      post(desk, 'runs', asks('go')).catch(() => undefined),
      get(desk, `runs/${runId}/events`).catch(() => undefined),
    ]);
    await Promise.all([closing, eventsIn(first)]);
    // Or the door is shut already.
    expect([503, undefined]).toContain(started?.status);
    expect([503, undefined]).toContain(attached?.status);
  });
});
