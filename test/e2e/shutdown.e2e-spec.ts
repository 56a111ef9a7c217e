import { AuditTrail, RunStreams, Wakeup } from 'nest-gatehouse';
import { call } from 'nest-gatehouse/testing';

import { asks, eventsIn, get, post } from './support/client.js';
import { openDesk } from './support/desk.app.js';
import { RecordingLogger } from './support/recording.logger.js';
import { says4ever } from './support/visit.js';

const STREAMS = 200;

/** What the desk's shutdown is given, in milliseconds. */
const DRAIN = 8_000;
const GRACE = 2_000;

describe('an application that closes', () => {
  it(`with ${STREAMS} open streams ends within its bound, and every client got its terminal event`, async () => {
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

  it('closes twice as once', async () => {
    const desk = await openDesk();
    desk.play([says4ever]);
    const events = eventsIn(await post(desk, 'runs', asks('go')));
    await Promise.all([desk.close(), desk.close()]);
    expect((await events).at(-1)?.event.type).toBe('RUN_FINISHED');
  });

  it('takes no new run, and lets nobody attach, while it drains: 503', async () => {
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
