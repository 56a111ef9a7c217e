import { connect } from 'node:net';

import { AuditTrail, RunStreams } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { ANN, asks, eventsIn, fresh, get, headersOf, post, runIdOf, statusOf, typesOf } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';
import { nobodyThere, thinks4ever, visit } from './support/visit.js';

describe('streams that are attached again', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({ streaming: { onDisconnect: 'continue' } })));
  afterAll(() => desk.close());

  it('go on where they stopped: ids strictly increasing, no gap, no duplicate; the run went on meanwhile', async () => {
    desk.play([[call('slow', { order: 1 })], [says('done')]]);
    const { response, leave } = visit(desk);
    const first = await response;
    const runId = first.headers.get('gatehouse-run-id') ?? '';
    const seen = await eventsIn(first, { until: ({ data }) => data?.includes('"TOOL_CALL_END"') ?? false });
    leave();
    desk.tools.slowly.open();
    const last = String(seen.at(-1)?.id);
    const byHeader = await eventsIn(await get(desk, `runs/${runId}/events`, { headers: { 'last-event-id': last } }));
    const byQuery = await eventsIn(await get(desk, `runs/${runId}/events?lastEventId=${last}`));
    const whole = await eventsIn(await get(desk, `runs/${runId}/events`));
    expect(byHeader).toEqual(byQuery);
    expect([...seen, ...byHeader]).toEqual(whole);
    expect(whole.map(({ id }) => id)).toEqual(whole.map((_, at) => at + 1));
    expect(typesOf(whole).at(-1)).toBe('RUN_FINISHED');
  });

  it("by the client's own runId give that segment alone", async () => {
    desk.play([[call('refund', { order: 1 })], [says('done')]]);
    const input = asks('go');
    const first = await eventsIn(await post(desk, 'runs', input));
    const outcome = first.at(-1)?.event['outcome'] as { interrupts: { id: string }[] };
    const resume = {
      ...input,
      runId: fresh('segment'),
      messages: [],
      resume: [{ interruptId: outcome.interrupts[0]?.id, status: 'resolved', payload: { approved: true } }],
    };
    const second = await eventsIn(await post(desk, 'runs', resume));
    expect(await eventsIn(await get(desk, `runs/${String(input['runId'])}/events`))).toEqual(first);
    expect(await eventsIn(await get(desk, `runs/${resume.runId}/events`))).toEqual(second);
    const ended = await get(desk, `runs/${String(input['runId'])}/events`, {
      headers: { 'last-event-id': String(first.at(-1)?.id) },
    });
    // A browser's EventSource asks again where a stream ends, and stops at this.
    expect([ended.status, await ended.text()]).toEqual([204, '']);
  });

  it('a HEAD request ends at once and cancels nothing', async () => {
    desk.play([[says('done')]]);
    const response = await post(desk, 'runs', asks('go'));
    await eventsIn(response);
    const head = await fetch(`${desk.url}/agent/runs/${response.headers.get('gatehouse-run-id')}/events`, {
      method: 'HEAD',
      headers: headersOf(ANN),
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('a run that is cancelled over HTTP', () => {
  it("by the client's own runId, and once more: 200 and the same status, and one record", async () => {
    const desk = await openDesk();
    try {
      desk.play([thinks4ever]);
      const input = asks('go');
      const response = await post(desk, 'runs', input);
      const runId = response.headers.get('gatehouse-run-id') ?? '';
      const cancel = async (id: string) => {
        const answer = await post(desk, `runs/${id}/cancel`, { reason: 'enough' });
        return [answer.status, await answer.json()];
      };
      const cancelled = [200, { runId, status: 'cancelled' }];
      expect(await cancel(String(input['runId']))).toEqual(cancelled);
      expect(await cancel(String(input['runId']))).toEqual(cancelled);
      expect(await cancel(runId)).toEqual(cancelled);
      expect((await eventsIn(response)).at(-1)?.event).toMatchObject({ outcome: { type: 'cancelled' } });
      const { items } = await desk.get(AuditTrail).terminals({ runId });
      expect(items.map(({ status, source, reason }) => `${status} ${source} ${reason}`)).toEqual([
        'cancelled requested enough',
      ]);
    } finally {
      await desk.close();
    }
  });
});

describe('how long a stream lives', () => {
  it('beats while nothing happens, ends after its longest time, cancels nothing and can be attached again (typescript-sdk#2541, everruns#603)', async () => {
    const desk = await openDesk({ streaming: { heartbeat: 20, maxAge: 200 } });
    try {
      desk.play([[call('slow', { order: 1 })], [says('done')]]);
      const response = await post(desk, 'runs', asks('go'));
      const runId = response.headers.get('gatehouse-run-id') ?? '';
      const text = await response.text();
      expect(text).toContain(': alive\n\n');
      expect(text.trimEnd()).toMatch(/"code":"stream_expired"\}$/);
      expect(await statusOf(desk, runId)).toBe('running');
      // Who comes back with the last id, which is the farewell's, and hears nothing new, is told so again.
      const last = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
      expect(last).toMatch(/^\d+\.1$/);
      const back = await get(desk, `runs/${runId}/events`, { headers: { 'last-event-id': last } });
      expect(await back.text()).toMatch(/^\n(: alive\n\n)+id: \d+\.1\ndata: .*"code":"stream_expired"\}\n\n$/);
      desk.tools.slowly.open();
      expect((await eventsIn(await get(desk, `runs/${runId}/events`))).at(-1)?.event).toMatchObject({
        outcome: { type: 'success' },
      });
    } finally {
      await desk.close();
    }
  });

  it('drops a client that reads nothing, which is no disconnect: the run goes on, and the rest can be read', async () => {
    const desk = await openDesk({ streaming: { heartbeat: 20 } });
    try {
      const told = new Gate();
      desk.play([
        async (run) => {
          for (let part = 0; part < 2_000; part += 1) {
            const messageId = `m${part}`;
            run.emit({ type: 'text.start', messageId });
            run.emit({ type: 'text.delta', messageId, delta: 'x'.repeat(10_000) });
            run.emit({ type: 'text.end', messageId });
          }
          await told.pass(run.signal);
          return [says('done')];
        },
      ]);
      const input = asks('go');
      const body = JSON.stringify(input);
      const { hostname, port } = new URL(desk.url);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      const head = [
        'POST /agent/runs HTTP/1.1',
        `host: ${hostname}`,
        'x-user: ann',
        'x-org: acme',
        'content-type: application/json',
      ];
      socket.pause().write([...head, `content-length: ${body.length}`, '', body].join('\r\n'));
      await told.reached();
      await nobodyThere(desk);
      const runId = await runIdOf(desk, input);
      expect([desk.get(RunStreams).count, await statusOf(desk, runId)]).toEqual([0, 'running']);
      told.open();
      const events = await eventsIn(await get(desk, `runs/${runId}/events`), { timeoutMs: 45_000 });
      expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
      expect([events.length, events.at(-1)?.event['outcome']]).toEqual([6_007, { type: 'success' }]);
      socket.destroy();
    } finally {
      await desk.close();
    }
  });

  it('an application that closes lets every client have its terminal event, and takes no new run', async () => {
    const desk = await openDesk();
    desk.play([thinks4ever]);
    const running = await Promise.all([1, 2, 3].map(() => post(desk, 'runs', asks('go'))));
    desk.play([[call('refund', { order: 1 })]]);
    const suspended = await post(desk, 'runs', asks('go'));
    await eventsIn(suspended);
    const watching = await get(desk, `runs/${suspended.headers.get('gatehouse-run-id')}/events`);
    const started = performance.now();
    const [, ...streams] = await Promise.all([
      desk.close(),
      ...running.map((response) => eventsIn(response)),
      eventsIn(watching),
    ]);
    expect(streams.map((events) => events.at(-1)?.event)).toEqual([
      ...running.map(() => expect.objectContaining({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }) as object),
      expect.objectContaining({
        type: 'RUN_FINISHED',
        outcome: expect.objectContaining({ type: 'interrupt' }) as object,
      }),
    ]);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
