import { getEventListeners } from 'node:events';
import { Agent, request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';

import compression from 'compression';
import { AgentRunner, AuditTrail, RunFeed, RunStreams, Wakeup } from 'nest-gatehouse';
import { call, eventsOf, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { ANN, asks, eventsIn, get, headersOf, post, runIdOf } from '../e2e/support/client.js';
import { notingComplaints } from '../support/complaints.js';
import { DeskAgent, openDesk, type Desk } from '../e2e/support/desk.app.js';
import { keptAlive } from '../e2e/support/lines.js';
import { nobodyThere, says4ever, thinks4ever, visit, visiting } from '../e2e/support/visit.js';

/** What others were told of in public, named by what their users saw. */
describe('reports about streams and leaving clients', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({}, [], (app) => app.use(compression({ threshold: 0 })))));
  afterAll(() => desk.close());

  const terminalsOf = async (runId: string): Promise<string[]> => {
    const signal = AbortSignal.timeout(5_000);
    for await (const _frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
    signal.throwIfAborted();
    return (await desk.get(AuditTrail).terminals({ runId })).items.map(({ status, source }) => `${status} ${source}`);
  };
  const CANCELLED = ['cancelled client disconnected'];

  it('nestjs/nest#11601, "MaxListenersExceeded": 200 requests that are cancelled at once leave no listener', async () => {
    const complaints = notingComplaints();
    desk.play([thinks4ever]);
    const visits = Array.from({ length: 200 }, () => visit(desk));
    for (const { leave } of visits) leave();
    await nobodyThere(desk);
    while ((await desk.get(AuditTrail).terminals({ limit: 500 })).items.length < (await started())) await nextTurn();
    expect(await complaints()).toEqual([]);
    expect([desk.get(RunStreams).count, Reflect.get(desk.get(Wakeup), 'waiting') as number]).toEqual([0, 0]);
  }, 30_000);

  const started = async (): Promise<number> =>
    ((await (await get(desk, 'runs?limit=500')).json()) as { items: object[] }).items.length;

  it('nestjs/nest#11601, typescript-sdk#2607, on one connection: streams that end one after another leave no listener on its socket', async () => {
    const sockets: Socket[] = [];
    const server: Server = desk.app.getHttpServer();
    const joined = (socket: Socket): void => void sockets.push(socket);
    server.on('connection', joined);
    desk.play([[says('done')]]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const counts: number[] = [];
    for (let at = 0; at < 20; at += 1) {
      await answered(desk.url, agent);
      counts.push(sockets[0]?.listenerCount('close') ?? 0);
    }
    agent.destroy();
    server.off('connection', joined);
    expect([sockets.length, new Set(counts).size]).toEqual([1, 1]);
  });

  it('nestjs/nest#5762, vercel/ai 7.0.20, "compression() holds my events back": the first one is there while the run goes on', async () => {
    desk.play([says4ever]);
    const visitor = visiting((signal) =>
      post(desk, 'runs', asks('go'), { signal, headers: { 'accept-encoding': 'gzip' } }),
    );
    await visitor.seen('TEXT_MESSAGE_CONTENT');
    const { headers } = await visitor.response;
    expect([headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
      null,
      expect.stringContaining('no-transform'),
    ]);
    visitor.leave();
  });

  it('"compression() is on, and lists are compressed": it really is', async () => {
    const response = await get(desk, 'runs', { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
  });

  it('HarperFast/harper#1399, "idle subscribers leak until the next event": a client that leaves while nothing is said is gone at once', async () => {
    desk.play([thinks4ever]);
    const input = asks('go');
    const visitor = visit(desk, input);
    await visitor.seen('RUN_STARTED');
    visitor.leave();
    expect(await terminalsOf(await runIdOf(desk, input))).toEqual(CANCELLED);
    await nobodyThere(desk);
    expect(desk.get(RunStreams).count).toBe(0);
  });

  it('anomalyco/opencode#15630, nestjs/docs.nestjs.com#3296, #3433, "heartbeats of dead clients accumulate": no timer is left behind', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const quick = await openDesk({ streaming: { heartbeat: 5 } });
    try {
      quick.play([thinks4ever]);
      const before = timers();
      const lines = await Promise.all(Array.from({ length: 20 }, () => keptAlive(quick.url, asks('go'))));
      await Promise.all(lines.map(({ heard }) => heard.type('RUN_STARTED')));
      expect(timers()).toBeGreaterThanOrEqual(before + 20);
      for (const { leave } of lines) leave();
      await nobodyThere(quick);
      while (quick.get(RunStreams).count > 0 || timers() > before) await nextTurn();
    } finally {
      await quick.close();
    }
  });

  it('dust-tt/dust#24357, "close never fires once the body was parsed": the gauge of open streams goes back to none', async () => {
    desk.play([says4ever]);
    const inputs = Array.from({ length: 10 }, () => asks('x'.repeat(100_000)));
    const visits = inputs.map((input) => visit(desk, input));
    await Promise.all(visits.map(({ seen }) => seen('TEXT_MESSAGE_CONTENT')));
    expect(desk.get(RunStreams).count).toBe(10);
    for (const { leave } of visits) leave();
    for (const input of inputs) expect(await terminalsOf(await runIdOf(desk, input))).toEqual(CANCELLED);
    expect(desk.get(RunStreams).count).toBe(0);
  });

  it('vercel/ai#20908, "onAbort and onEnd both fire": leaving in the second step makes one record', async () => {
    desk.play([[call('lookup', { order: 1 })], says4ever]);
    const input = asks('go');
    const visitor = visit(desk, input);
    await visitor.seen('TEXT_MESSAGE_CONTENT');
    visitor.leave();
    expect(await terminalsOf(await runIdOf(desk, input))).toEqual(CANCELLED);
  });

  it('mastra#7137, CopilotKit#2274, openai-agents-js#1521, "abort never reaches the tool": it sees the signal within 100 ms', async () => {
    const slowly = desk.tools.hold();
    const left = new Promise<number>((resolve) => {
      const pass = slowly.pass.bind(slowly);
      slowly.pass = (signal) => {
        signal?.addEventListener('abort', () => resolve(performance.now()), { once: true });
        return pass(signal);
      };
    });
    desk.play([[call('slow', { order: 1 })]]);
    const visitor = visit(desk);
    await slowly.reached();
    const closed = performance.now();
    visitor.leave();
    expect((await left) - closed).toBeLessThan(100);
  });

  it('AutoGPT#13490, openai-agents-js#1521, "a cancelled run is shown as an error and played again": it is cancelled, and nothing of it runs again', async () => {
    desk.play([[call('lookup', { order: 77 })], thinks4ever]);
    const input = asks('go');
    const visitor = visit(desk, input);
    await visitor.seen('TOOL_CALL_RESULT');
    visitor.leave();
    const runId = await runIdOf(desk, input);
    expect(await terminalsOf(runId)).toEqual(CANCELLED);
    const events = await eventsIn(await get(desk, `runs/${runId}/events`));
    expect(events.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(desk.tools.done.filter((done) => done === 'lookup 77')).toHaveLength(1);
  });

  it('typescript-sdk#1184, "JSON.parse of an empty data event": every event has data, every comment has none, and no id either', async () => {
    desk.play([[call('lookup', { order: 1 })], [says('done')]]);
    for await (const { id, data, comment, event } of eventsOf(await post(desk, 'runs', asks('go')))) {
      expect(event).toBeUndefined();
      if (comment !== undefined) expect([id, data]).toEqual([undefined, undefined]);
      else expect(typeof JSON.parse(data ?? '')).toBe('object');
    }
  });

  it('"a number as data hangs the response" (Nest 11.2.10): what we send is text that we serialised', async () => {
    desk.get(DeskAgent).script = {
      requests: [],
      results: [],
      execute: async (run) => {
        run.emit({ type: 'custom', name: 'count', value: 1 });
        return { value: 1 };
      },
    };
    const events = await eventsIn(await post(desk, 'runs', asks('go')));
    expect(events.map(({ event }) => event['value']).filter((value) => value !== undefined)).toEqual([1]);
    expect(events.at(-1)?.event.type).toBe('RUN_FINISHED');
  });

  it('"a request that was pipelined behind another one is never told that its client left": its run is cancelled', async () => {
    const { hostname, port, host } = new URL(desk.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    desk.play([thinks4ever]);
    const [first, second] = [asks('go'), asks('go')];
    for (const input of [first, second]) socket.write(posting(host, input));
    while ((await runIdOf(desk, second)) === '') await nextTurn();
    socket.destroy();
    for (const input of [first, second]) expect(await terminalsOf(await runIdOf(desk, input))).toEqual(CANCELLED);
    await nobodyThere(desk);
    expect(desk.get(RunStreams).count).toBe(0);
  });

  it('langgraphjs#2213, VoltAgent#1334, "an AbortSignal gains a listener with every call": 10,000 runs on one signal, many at once, leave none, and no unhandled rejection or warning', async () => {
    const complaints = notingComplaints();
    const { signal } = new AbortController();
    const runner = desk.get(AgentRunner);
    const run = () =>
      runner.start({ agent: scriptedExecutor([[says('done')]]), input: 'go', user: { id: 'ann' }, signal }).outcome;
    for (let at = 0; at < 5_000; at += 1) await run();
    for (let at = 0; at < 50; at += 1) await Promise.all(Array.from({ length: 100 }, run));
    const aborted = AbortSignal.abort();
    const agent = scriptedExecutor([[says('never')]]);
    const { status } = await runner.start({ agent, input: 'go', user: { id: 'ann' }, signal: aborted }).outcome;
    expect([getEventListeners(signal, 'abort').length, status, await complaints()]).toEqual([0, 'cancelled', []]);
  });
});

/** Posts one request for a run and reads the whole answer. */
const answered = (url: string, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { ...headersOf(ANN), 'content-type': 'application/json' };
    const asking = request(`${url}/agent/runs`, { method: 'POST', agent, headers }, (answer) =>
      answer.resume().once('close', () => setImmediate(resolve)),
    );
    asking.on('error', reject).end(JSON.stringify(asks('go')));
  });

const nextTurn = (): Promise<void> => new Promise(setImmediate);

function posting(host: string, input: object): string {
  const body = JSON.stringify(input);
  const headers = { host, ...headersOf(ANN), 'content-type': 'application/json', 'content-length': body.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ['POST /agent/runs HTTP/1.1', ...lines, '', body].join('\r\n');
}
