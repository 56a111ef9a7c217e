import { AuditTrail, RunFeed, RunStreams, Wakeup, type RunContext, type RunFrame } from 'nest-gatehouse';
import { call, eventsOf, says } from 'nest-gatehouse/testing';

import {
  ANN,
  asks,
  eventsIn,
  fresh,
  get,
  headersOf,
  jsonIn,
  post,
  runIdOf,
  statusOf,
  typesOf,
} from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';
import { holding } from './support/store.js';

interface Visit {
  readonly response: Promise<Response>;
  /** Resolves once an event of this type arrived; the connection stays open. */
  seen(type: string): Promise<void>;
  leave(): void;
}

/** A client that reads, and can leave. */
const visiting = (ask: (signal: AbortSignal) => Promise<Response>): Visit => {
  const leaving = new AbortController();
  const response = ask(leaving.signal);
  response.catch(() => undefined);
  let events: ReturnType<typeof eventsOf> | undefined;
  return {
    response,
    seen: async (type) => {
      events ??= eventsOf(await response);
      for (;;) {
        const { value, done } = await events.next();
        if (done === true) throw new Error(`The stream ended without ${type}.`);
        if (value.data?.includes(`"${type}"`) === true) return;
      }
    },
    leave: () => {
      leaving.abort();
      void events?.return();
    },
  };
};

const visit = (desk: Desk, input: object = asks('go')): Visit =>
  visiting((signal) => post(desk, 'runs', input, { signal }));

const says4ever = async (run: RunContext): Promise<never> => {
  run.emit({ type: 'text.start', messageId: 'm' });
  run.emit({ type: 'text.delta', messageId: 'm', delta: 'partial answer' });
  return new Promise((_, reject) =>
    run.signal.addEventListener('abort', () => reject(run.signal.reason as Error), { once: true }),
  );
};

const thinks4ever = (run: RunContext): Promise<never> =>
  new Promise((_, reject) =>
    run.signal.addEventListener('abort', () => reject(run.signal.reason as Error), { once: true }),
  );

describe('a client that leaves', () => {
  let desk: Desk;
  let evidence: AuditTrail;
  beforeAll(async () => {
    desk = await openDesk();
    evidence = desk.get(AuditTrail);
  });
  afterAll(() => desk.close());

  const runOf = (input: Record<string, unknown>) => runIdOf(desk, input);

  /** Follows the run to its very end, then reads what was recorded of it. */
  const recorded = async (runId: string) => {
    const frames: RunFrame[] = [];
    for await (const frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal: AbortSignal.timeout(5_000) }))
      frames.push(frame);
    const terminals = (await evidence.terminals({ runId })).items.map(
      ({ status, source, reason }) => `${status} ${source} ${reason}`,
    );
    return { terminals, last: frames.at(-1)?.event.type, events: frames.map(({ event }) => event.type) };
  };

  const CANCELLED = { terminals: ['cancelled client disconnected '], last: 'run.cancelled' };

  it('mid-text: one cancelled record, the message is closed and its part is kept', async () => {
    desk.play([says4ever]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('TEXT_MESSAGE_CONTENT');
    leave();
    const runId = await runOf(input);
    const { events, ...rest } = await recorded(runId);
    expect(rest).toEqual(CANCELLED);
    expect(events).toEqual(['run.started', 'text.start', 'text.delta', 'text.end', 'run.cancelled']);
    const next = desk.play([[says('go on')]]);
    await eventsIn(await post(desk, 'runs', asks('and?', { threadId: input['threadId'] })));
    expect(next.requests[0]?.map((message) => (message.role === 'tool' ? '' : message.text))).toEqual([
      'go',
      'partial answer',
      'and?',
    ]);
  });

  it('mid-tool: the tool sees the signal, one cancelled record', async () => {
    desk.play([[call('slow', { order: 1 })], [says('never')]]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('TOOL_CALL_END');
    await desk.tools.slowly.reached();
    leave();
    expect(await recorded(await runOf(input))).toMatchObject(CANCELLED);
  });

  it('between steps: one cancelled record, the finished call keeps its result', async () => {
    desk.play([[call('lookup', { order: 1 })], thinks4ever]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('TOOL_CALL_RESULT');
    leave();
    const runId = await runOf(input);
    expect(await recorded(runId)).toMatchObject(CANCELLED);
    expect((await evidence.operations({ runId })).items.map(({ toolName, status }) => `${toolName} ${status}`)).toEqual(
      ['lookup completed'],
    );
  });

  it('before the first event, while the run is being stored', async () => {
    const { gate, release } = holding(desk, 'startRun');
    desk.play([thinks4ever]);
    const input = asks('go');
    const { leave } = visit(desk, input);
    await gate.reached();
    leave();
    await socketsClosed(desk);
    release();
    while ((await runOf(input)) === '') await new Promise(setImmediate);
    expect(await recorded(await runOf(input))).toMatchObject(CANCELLED);
  });

  it('while an approval is being stored', async () => {
    const { gate, release } = holding(desk, 'requestApproval');
    desk.play([[call('refund', { order: 1 })], [says('never')]]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('RUN_STARTED');
    await gate.reached();
    leave();
    await socketsClosed(desk);
    const runId = await runOf(input);
    release();
    expect(await recorded(runId)).toMatchObject(CANCELLED);
    const pending = await jsonIn<{ items: unknown[] }>(get(desk, `approvals?runId=${runId}&status=pending`));
    expect(pending.items).toEqual([]);
  });

  it('during a guard, or while the policy is asked: nothing was started, nothing is recorded', async () => {
    for (const hold of ['guard', 'policy'] as const) {
      const held = new Gate();
      const host = desk[hold];
      const before = host.before;
      host.before = () => held.pass();
      try {
        desk.play([[says('never')]]);
        const input = asks('go');
        const { leave } = visit(desk, input);
        await held.reached();
        leave();
        await socketsClosed(desk);
        held.open();
        // A later request of the same app is answered after the abandoned one has come through.
        host.before = before;
        await eventsIn(await post(desk, 'runs', asks('next')));
        expect([hold, await runOf(input)]).toEqual([hold, '']);
      } finally {
        host.before = before;
      }
    }
  });

  it('after the last event: the run stands as it ended', async () => {
    desk.play([[says('done')]]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('RUN_FINISHED');
    leave();
    const runId = await runOf(input);
    await socketsClosed(desk);
    expect(await recorded(runId)).toMatchObject({ terminals: ['completed null null'], last: 'run.finished' });
  });

  it('a suspended run outlives its client', async () => {
    desk.play([[call('refund', { order: 1 })], [says('done')]]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('RUN_FINISHED');
    leave();
    await socketsClosed(desk);
    expect(await statusOf(desk, await runOf(input))).toBe('suspended');
  });

  it('while another reader is attached the run goes on; with the last one it ends', async () => {
    desk.play([[call('slow', { order: 1 })], [says('done')]]);
    const input = asks('go');
    const first = visit(desk, input);
    await first.seen('TOOL_CALL_END');
    const runId = await runOf(input);
    const second = visiting((signal) => get(desk, `runs/${runId}/events`, { signal }));
    await second.seen('TOOL_CALL_END');
    first.leave();
    await oneStream(desk);
    expect(await statusOf(desk, runId)).toBe('running');
    second.leave();
    expect(await recorded(runId)).toMatchObject(CANCELLED);
  });

  it('somebody who may merely read ends nothing by leaving', async () => {
    desk.play([[call('slow', { order: 1 })], [says('done')]]);
    const input = asks('go');
    const owner = visit(desk, input);
    await owner.seen('TOOL_CALL_END');
    const runId = await runOf(input);
    const who = { user: 'dora', org: 'acme', roles: 'run.read' };
    const watcher = visiting((signal) => get(desk, `runs/${runId}/events`, { who, signal }));
    await watcher.seen('TOOL_CALL_END');
    watcher.leave();
    await oneStream(desk);
    expect(await statusOf(desk, runId)).toBe('running');
    owner.leave();
    expect(await recorded(runId)).toMatchObject(CANCELLED);
  });

  it('fifty clients that leave at once leave no listener, reader or stream behind', async () => {
    const warnings: string[] = [];
    const warned = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', warned);
    const inputs = Array.from({ length: 50 }, () => asks('go'));
    desk.play([says4ever]);
    const visits = inputs.map((input) => visit(desk, input));
    await Promise.all(visits.map(({ seen }) => seen('TEXT_MESSAGE_CONTENT')));
    for (const { leave } of visits) leave();
    for (const input of inputs) expect((await recorded(await runOf(input))).terminals).toEqual(CANCELLED.terminals);
    process.off('warning', warned);
    expect({
      warnings,
      streams: desk.get(RunStreams).count,
      waiting: Reflect.get(desk.get(Wakeup), 'waiting') as number,
    }).toEqual({
      warnings: [],
      streams: 0,
      waiting: 0,
    });
  });
});

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
    expect(await eventsIn(ended)).toEqual([]);
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

describe('how long a stream lives', () => {
  it('beats while nothing happens, ends after its longest time, cancels nothing and can be attached again', async () => {
    const desk = await openDesk({ streaming: { heartbeat: 20, maxAge: 200 } });
    try {
      desk.play([[call('slow', { order: 1 })], [says('done')]]);
      const response = await post(desk, 'runs', asks('go'));
      const runId = response.headers.get('gatehouse-run-id') ?? '';
      const text = await response.text();
      expect(text).toContain(': alive\n\n');
      expect(text.trimEnd()).toMatch(/"code":"stream_expired"\}$/);
      expect(await statusOf(desk, runId)).toBe('running');
      desk.tools.slowly.open();
      expect((await eventsIn(await get(desk, `runs/${runId}/events`))).at(-1)?.event).toMatchObject({
        outcome: { type: 'success' },
      });
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
      ...running.map(() => expect.objectContaining({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })),
      expect.objectContaining({ type: 'RUN_FINISHED', outcome: expect.objectContaining({ type: 'interrupt' }) }),
    ]);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

/** Resolves once one stream alone is open. */
async function oneStream(desk: Desk): Promise<void> {
  while (desk.get(RunStreams).count !== 1) await new Promise(setImmediate);
}

/** Resolves once the server has seen every connection that was given up close. */
async function socketsClosed(desk: Desk): Promise<void> {
  const server = desk.app.getHttpServer();
  const count = () =>
    new Promise<number>((resolve) => server.getConnections((_error: unknown, open: number) => resolve(open)));
  server.closeIdleConnections();
  while ((await count()) > 0) await new Promise(setImmediate);
}
