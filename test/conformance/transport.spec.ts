import { RunCancelledError, type RunContext } from 'nest-gatehouse';
import { call, captureLog, says } from 'nest-gatehouse/testing';

import { asks, eventsIn, post } from '../e2e/support/client.js';
import { DeskAgent, type Desk } from '../e2e/support/desk.app.js';
import { RecordingLogger } from '../e2e/support/recording.logger.js';
import { thinks4ever, visit } from '../e2e/support/visit.js';
import { CuttableProxy } from '../support/cuttable.proxy.js';
import { freshDatabase } from '../support/postgres.js';
import { migratedTemplate } from '../support/governed/stores.js';
import { asking, deskAt, deskOn, endOf, terminalsOf } from './support/left.run.js';
import { halfCall, streamedText, StreamingModel, wholeCall } from './support/streaming.model.js';

let desk: Desk;
afterEach(() => desk.close());

const recordsOf = (runId: string) => desk.get(RecordingLogger).events.filter((event) => event.runId === runId);

/** What the thread holds, as the model of the next request is told. */
async function threadOf(input: Record<string, unknown>): Promise<string[]> {
  const next = desk.play([[says('go on')]]);
  await eventsIn(await post(desk, 'runs', asks('and?', { threadId: input['threadId'] })));
  return (next.requests[0] ?? []).map((message) => {
    if (message.role === 'tool') return `tool ${message.results.map(({ content }) => content).join()}`;
    const calls = message.role === 'assistant' ? message.calls.map(({ toolName }) => ` ${toolName}`).join('') : '';
    return `${message.role} ${message.text}${calls}`;
  });
}

describe('a client that leaves a real stream', () => {
  const leaveMidText = async () => {
    const model = new StreamingModel([{ parts: streamedText('partial answer'), hangs: true }]);
    const seen = asking(desk, model);
    const input = asks('go');
    const { seen: arrived, leave } = visit(desk, input);
    await arrived('TEXT_MESSAGE_CONTENT');
    leave();
    await model.closed;
    const runId = await endOf(desk, input);
    const records = recordsOf(runId);
    expect(records.map(({ toolName, success, error }) => `${toolName} ${success} ${error}`)).toEqual([
      'agent.run false cancelled: client disconnected',
    ]);
    expect(JSON.parse(records[0]?.argumentsRepr ?? '')).toEqual({ runId, threadId: input['threadId'] });
    expect(records[0]?.durationMs).toBeGreaterThan(0);
    expect(seen.threw).toBeInstanceOf(RunCancelledError);
    expect(await terminalsOf(desk, runId)).toEqual(['cancelled client disconnected']);
    return input;
  };

  it('[226] closes the provider’s stream, keeps the part that was said, records once, and rethrows the cancellation', async () => {
    desk = await deskOn('postgres');
    expect(await threadOf(await leaveMidText())).toEqual(['user go', 'assistant partial answer', 'user and?']);
  });

  it('[227] is recorded and rethrown without a database, too', async () => {
    desk = await deskOn('memory');
    await leaveMidText();
  });

  it('[228] whatever the executor’s own cleanup throws: it is logged, and the cancellation stands', async () => {
    desk = await deskOn('memory');
    const cleaning = async (run: RunContext) => {
      try {
        return await thinks4ever(run);
      } finally {
        // Exactly this mistake of a host is the case.
        throw new Error('cleanup broke');
      }
    };
    desk.get(DeskAgent).script = { requests: [], results: [], execute: cleaning };
    const log = captureLog();
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('RUN_STARTED');
    leave();
    const runId = await endOf(desk, input);
    log.release();
    expect(log.lines.filter(({ message }) => message.includes('cleanup broke'))).toHaveLength(1);
    expect(await terminalsOf(desk, runId)).toEqual(['cancelled client disconnected']);
    expect(recordsOf(runId).map(({ error }) => error)).toEqual(['cancelled: client disconnected']);
  });

  it('[229] while its database is away: what happened is recorded all the same', async () => {
    const database = await freshDatabase(await migratedTemplate());
    const { port, hostname } = new URL(database.url);
    const proxy = await CuttableProxy.to(hostname, Number(port));
    const through = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(proxy.port) });
    desk = await deskAt(through.href, { runs: { lease: '2s' } });
    desk.play([thinks4ever]);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('RUN_STARTED');
    proxy.cut();
    leave();
    while (desk.get(RecordingLogger).events.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(desk.get(RecordingLogger).events.map(({ toolName, error }) => `${toolName} ${error}`)).toEqual([
      'agent.run cancelled: client disconnected',
    ]);
    proxy.mend();
    await desk.close();
    await proxy.close();
    await database.drop();
  });

  it('[232] during a call’s arguments: that call is dropped, completed calls and their results stay in order', async () => {
    desk = await deskOn('postgres');
    const model = new StreamingModel([
      { parts: wholeCall('c1', 'lookup', { order: 1 }) },
      { parts: halfCall('c2', 'lookup'), hangs: true },
    ]);
    asking(desk, model);
    const input = asks('go');
    const { seen, leave } = visit(desk, input);
    await seen('TOOL_CALL_RESULT');
    while (model.prompts.length < 2) await new Promise(setImmediate);
    leave();
    await endOf(desk, input);
    expect(await threadOf(input)).toEqual(['user go', 'assistant  lookup', 'tool order 1', 'user and?']);
  });
});

describe('a run that nobody leaves', () => {
  it('[230] leaves no record of its own when it completes', async () => {
    desk = await deskOn('postgres');
    desk.play([[call('lookup', { order: 1 })], [says('done')]]);
    const input = asks('go');
    await eventsIn(await post(desk, 'runs', input));
    expect(recordsOf(await endOf(desk, input)).map(({ kind, toolName }) => `${kind} ${toolName}`)).toEqual([
      'tool lookup',
    ]);
  });

  it('[231] that fails by itself is no cancellation: one record of the run beside the tool’s, the signal stays quiet', async () => {
    desk = await deskOn('postgres', { failure: { enabled: false } });
    desk.tools.lookup = () => {
      throw new Error('kaboom');
    };
    let aborted: boolean | undefined;
    const script = desk.play([[call('lookup', { order: 1 })]]);
    const execute = async (run: RunContext) => script.execute(run).finally(() => (aborted = run.signal.aborted));
    desk.get(DeskAgent).script = { ...script, execute };
    const input = asks('go');
    const received = await eventsIn(await post(desk, 'runs', input));
    expect(received.at(-1)?.event.type).toBe('RUN_ERROR');
    expect(recordsOf(await endOf(desk, input)).map(({ toolName, error }) => `${toolName} ${error}`)).toEqual([
      'lookup Error: kaboom',
      'agent.run run failed: kaboom',
    ]);
    expect(aborted).toBe(false);
  });
});
