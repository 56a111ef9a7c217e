import { AuditTrail, RunFeed, RunStreams, Wakeup, type RunFrame } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { asks, eventsIn, get, jsonIn, post, runIdOf, statusOf } from './support/client.js';
import { notingComplaints } from '../support/complaints.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';
import { RecordingLogger } from './support/recording.logger.js';
import { holding } from './support/store.js';
import { nobodyThere, oneStream, says4ever, thinks4ever, visit, visiting } from './support/visit.js';

describe('a client that leaves', () => {
  let desk: Desk;
  let evidence: AuditTrail;
  beforeAll(async () => {
    desk = await openDesk({ audit: { loggers: [RecordingLogger] } });
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
    return {
      terminals,
      records: desk.get(RecordingLogger).ofRun(runId),
      last: frames.at(-1)?.event.type,
      events: frames.map(({ event }) => event.type),
    };
  };

  const CANCELLED = {
    terminals: ['cancelled client disconnected '],
    records: ['agent.run false cancelled: client disconnected'],
    last: 'run.cancelled',
  };

  it('mid-text: one cancelled record, the message is closed and its part is kept (vercel/ai#6699, #7469)', async () => {
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

  it('before the first event, while the run is being stored (nestjs/nest#17128)', async () => {
    const { gate, release } = holding(desk, 'startRun');
    desk.play([thinks4ever]);
    const input = asks('go');
    const { leave } = visit(desk, input);
    await gate.reached();
    leave();
    await nobodyThere(desk);
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
    await nobodyThere(desk);
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
        await nobodyThere(desk);
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
    await nobodyThere(desk);
    expect(await recorded(runId)).toMatchObject({
      terminals: ['completed null null'],
      records: [],
      last: 'run.finished',
    });
  });

  it('a suspended run outlives its client', async () => {
    desk.play([[call('refund', { order: 1 })], [says('done')]]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('RUN_FINISHED');
    leave();
    await nobodyThere(desk);
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
    const complaints = notingComplaints();
    const inputs = Array.from({ length: 50 }, () => asks('go'));
    desk.play([says4ever]);
    const visits = inputs.map((input) => visit(desk, input));
    await Promise.all(visits.map(({ seen }) => seen('TEXT_MESSAGE_CONTENT')));
    for (const { leave } of visits) leave();
    for (const input of inputs) expect(await recorded(await runOf(input))).toMatchObject(CANCELLED);
    expect({
      complaints: await complaints(),
      streams: desk.get(RunStreams).count,
      waiting: Reflect.get(desk.get(Wakeup), 'waiting') as number,
    }).toEqual({
      complaints: [],
      streams: 0,
      waiting: 0,
    });
  });
});
