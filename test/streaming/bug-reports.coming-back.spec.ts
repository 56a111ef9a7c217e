import { call, says } from 'nest-gatehouse/testing';

import { chunksIn, type Chunk } from '../e2e/support/chat.js';
import {
  asks,
  eventsIn,
  fresh,
  get,
  jsonIn,
  post,
  problemIn,
  runIdOf,
  statusOf,
  typesOf,
} from '../e2e/support/client.js';
import { openDesk, type Desk } from '../e2e/support/desk.app.js';
import { Gate } from '../e2e/support/gate.js';
import { holding } from '../e2e/support/store.js';
import { nobodyThere, visit } from '../e2e/support/visit.js';
import { suspend } from '../e2e/support/waiting.js';

/** What others were told of in public, named by what their users saw. */
describe('reports about clients that come back', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({ streaming: { onDisconnect: 'continue' } })));
  afterAll(() => desk.close());

  it('typescript-sdk#2809, "the id is lost when a resumed stream drops before its first event": it is still good', async () => {
    desk.play([[says('done')]]);
    const response = await post(desk, 'runs', asks('go'));
    const whole = await eventsIn(response);
    const runId = response.headers.get('gatehouse-run-id') ?? '';
    const again = () => get(desk, `runs/${runId}/events`, { headers: { 'last-event-id': '2' } });
    const dropped = await again();
    await dropped.body?.cancel();
    expect(await eventsIn(await again())).toEqual(whole.slice(2));
  });

  it('NousResearch/hermes-agent#32431, "two subscribers steal each other\'s events": each gets all of them', async () => {
    const slowly = desk.tools.hold();
    desk.play([[call('slow', { order: 1 })], [says('done')]]);
    const response = await post(desk, 'runs', asks('go'));
    const runId = response.headers.get('gatehouse-run-id') ?? '';
    const readers = await Promise.all(Array.from({ length: 5 }, () => get(desk, `runs/${runId}/events`)));
    await slowly.reached();
    slowly.open();
    const all = await Promise.all([response, ...readers].map((reader) => eventsIn(reader)));
    for (const events of all) expect(events).toEqual(all[0]);
  });

  it('agentfront/frontmcp#529, "replay crosses sessions": another tenant with the right id finds nothing', async () => {
    desk.play([[says('secret')]]);
    const response = await post(desk, 'runs', asks('go'));
    await eventsIn(response);
    const runId = response.headers.get('gatehouse-run-id') ?? '';
    const who = { user: 'ann', org: 'other' };
    expect(await problemIn(await get(desk, `runs/${runId}/events?lastEventId=1`, { who }))).toBe('404 run_not_found');
  });

  it('cloudflare/agents#1484, "a page reload kills the turn": with continue it does not, and the page reads on', async () => {
    const staying = await openDesk({ streaming: { onDisconnect: 'continue' } });
    try {
      const slowly = staying.tools.hold();
      staying.play([[call('slow', { order: 1 })], [says('done')]]);
      const visitor = visit(staying);
      await visitor.seen('TOOL_CALL_END');
      const runId = (await visitor.response).headers.get('gatehouse-run-id') ?? '';
      visitor.leave();
      await nobodyThere(staying);
      expect(await statusOf(staying, runId)).toBe('running');
      slowly.open();
      expect((await eventsIn(await get(staying, `runs/${runId}/events`))).at(-1)?.event.type).toBe('RUN_FINISHED');
    } finally {
      await staying.close();
    }
  });

  it('nestjs/nest#17352, "leaving early kills the answer that the reload wanted": it is spoken all the same, and read whole', async () => {
    const { gate, release } = holding(desk, 'startRun');
    desk.play([[says('Here it is.')]]);
    const input = asks('go');
    const visitor = visit(desk, input);
    await gate.reached();
    visitor.leave();
    await nobodyThere(desk);
    release();
    while ((await runIdOf(desk, input)) === '') await new Promise(setImmediate);
    const events = await eventsIn(await get(desk, `runs/${await runIdOf(desk, input)}/events`));
    expect([typesOf(events)[0], typesOf(events).at(-1), textIn(events)]).toEqual([
      'RUN_STARTED',
      'RUN_FINISHED',
      'Here it is.',
    ]);
  });

  it('cloudflare/agents#1733, #1742, "a replay says things twice, and a failed answer is gone": the text is told once, up to where it failed', async () => {
    const held = new Gate();
    desk.play([
      async (run) => {
        run.emit({ type: 'text.start', messageId: 'm' });
        for (const delta of ['one ', 'two ', 'three ']) run.emit({ type: 'text.delta', messageId: 'm', delta });
        await held.pass();
        run.emit({ type: 'text.delta', messageId: 'm', delta: 'four' });
        throw new Error('The model is gone.');
      },
    ]);
    const input = asks('go');
    const response = await post(desk, 'runs', input);
    const runId = response.headers.get('gatehouse-run-id') ?? '';
    const seen = await eventsIn(response, { until: ({ data }) => data?.includes('three ') === true });
    await held.reached();
    const back = get(desk, `runs/${runId}/events?lastEventId=${seen.at(-1)?.id}`);
    const chatting = get(desk, `chat/${String(input['threadId'])}/stream`);
    await Promise.all([back, chatting]);
    held.open();
    const rest = await eventsIn(await back);
    expect([textIn([...seen, ...rest]), typesOf(rest).at(-1)]).toEqual(['one two three four', 'RUN_ERROR']);
    const chunks = await chunksIn(await chatting);
    expect([spokenIn(chunks), chunks.at(-1)?.type]).toEqual(['one two three four', 'error']);
    const whole = await eventsIn(await get(desk, `runs/${runId}/events`));
    expect(whole).toEqual([...seen, ...rest]);
  });

  it('cacheplane/threadplane#888, "clients differ in how they resume": `forwardedProps.command.resume` decides nothing', async () => {
    const waiting = await suspend(desk, 'refund');
    const command = { resume: [{ interruptId: waiting.approvalId, status: 'resolved', payload: { approved: true } }] };
    const other = { ...waiting.input, runId: fresh('segment'), messages: [], forwardedProps: { command } };
    expect(await problemIn(await post(desk, 'runs', other))).toBe('409 run_conflict');
    expect(await statusOf(desk, waiting.runId)).toBe('suspended');
    expect(await jsonIn(get(desk, `approvals/${waiting.approvalId}`))).toMatchObject({
      status: 'pending',
      decidedBy: [],
    });
    expect(desk.tools.done.filter((done) => done.startsWith('refund'))).toEqual([]);
  });
});

const textIn = (received: readonly { readonly event: Readonly<Record<string, unknown>> }[]): string =>
  received.map(({ event }) => (event['type'] === 'TEXT_MESSAGE_CONTENT' ? String(event['delta']) : '')).join('');

const spokenIn = (chunks: readonly Chunk[]): string =>
  chunks.map(({ type, delta }) => (type === 'text-delta' ? String(delta) : '')).join('');
