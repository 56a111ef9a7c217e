import { AuditTrail, RunFeed, RunStreams, type RunFrame } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { answering, chat, chatBody, chunksIn, chunkTypes, dataIn, requestedIn, userMessage } from './support/chat.js';
import { ANN, fresh, get, jsonIn, post, problemIn, runIdOf, statusOf } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';
import { RecordingLogger } from './support/recording.logger.js';
import { holding } from './support/store.js';
import { nobodyThere, oneStream, says4ever, thinks4ever, visiting } from './support/visit.js';

describe('a chat client that leaves, comes back, or is not let in', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({ audit: { loggers: [RecordingLogger] } })));
  afterAll(() => desk.close());

  const say = (id: string, text = 'go') =>
    visiting((signal) => post(desk, 'chat', chatBody(id, [userMessage(text)]), { signal }));
  const runOf = (id: string) => runIdOf(desk, { threadId: id });

  /** Follows the run of a chat to its very end, then reads what was recorded of it. */
  const recorded = async (id: string) => {
    const runId = await runOf(id);
    const frames: RunFrame[] = [];
    for await (const frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal: AbortSignal.timeout(5_000) }))
      frames.push(frame);
    const terminals = (await desk.get(AuditTrail).terminals({ runId })).items;
    return {
      terminals: terminals.map(({ status, source, reason }) => `${status} ${source} ${reason}`),
      records: desk.get(RecordingLogger).ofRun(runId),
      last: frames.at(-1)?.event.type,
    };
  };
  const CANCELLED = {
    terminals: ['cancelled client disconnected '],
    records: ['agent.run false cancelled: client disconnected'],
    last: 'run.cancelled',
  };

  it.each([
    ['mid-text', [says4ever], 'text-delta'],
    ['mid-tool', [[call('slow', { order: 1 })], [says('never')]], 'tool-input-available'],
    ['between steps', [[call('lookup', { order: 1 })], thinks4ever], 'tool-output-available'],
    ['before the first word', [thinks4ever], 'start'],
  ])('%s: one cancelled record (vercel/ai#6699, #7469)', async (_when, lines, seen) => {
    desk.play(lines);
    const id = fresh('chat');
    const visit = say(id);
    await visit.seen(seen);
    visit.leave();
    expect(await recorded(id)).toEqual(CANCELLED);
  });

  it('while the run is being stored, too', async () => {
    const { gate, release } = holding(desk, 'startRun');
    desk.play([thinks4ever]);
    const id = fresh('chat');
    const { leave } = say(id);
    await gate.reached();
    leave();
    await nobodyThere(desk);
    release();
    while ((await runOf(id)) === '') await new Promise(setImmediate);
    expect(await recorded(id)).toEqual(CANCELLED);
  });

  it('in a segment that continues, after the approved call ran: one record, and what was done stands', async () => {
    desk.play([[call('refund', { order: 9 })], thinks4ever]);
    const id = fresh('chat');
    const question = userMessage('go');
    const [approvalId] = requestedIn(await chat(desk, chatBody(id, [question])));
    const answer = answering({ id: approvalId, approved: true });
    const visit = visiting((signal) => post(desk, 'chat', chatBody(id, [question, answer]), { signal }));
    await visit.seen('tool-output-available');
    visit.leave();
    expect(await recorded(id)).toEqual(CANCELLED);
    expect(desk.tools.done.filter((done) => done === 'refund 9 0')).toHaveLength(1);
  });

  it('a new message right after leaving is answered: the stopped run is waited for', async () => {
    desk.play([says4ever]);
    const id = fresh('chat');
    const visit = say(id);
    await visit.seen('text-delta');
    visit.leave();
    await nobodyThere(desk);
    const script = desk.play([[says('Yes?')]]);
    expect(chunkTypes(await chat(desk, chatBody(id, [userMessage('wait')]))).at(-1)).toBe('finish');
    expect(script.requests[0]?.map((message) => (message.role === 'tool' ? '' : message.text))).toEqual([
      'go',
      'partial answer',
      'wait',
    ]);
  });

  it('comes back to the whole message, told once, and then what follows (cloudflare/agents#1733)', async () => {
    const held = new Gate();
    desk.play([
      [says('Let me see.'), call('lookup', { order: 1 }, 'back-1')],
      async () => (await held.pass(), [says('One.')]),
    ]);
    const id = fresh('chat');
    const first = say(id);
    await first.seen('tool-output-available');
    const response = await get(desk, `chat/${id}/stream`);
    expect([response.status, response.headers.get('x-vercel-ai-ui-message-stream')]).toEqual([200, 'v1']);
    expect(response.headers.get('gatehouse-run-id')).toBe(await runOf(id));
    first.leave();
    await oneStream(desk);
    held.open();
    const chunks = await chunksIn(response);
    expect(chunkTypes(chunks)).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end'],
      ...['tool-input-start', 'tool-input-available', 'tool-output-available', 'finish-step'],
      ...['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ]);
    expect(chunks.flatMap(({ delta }) => (delta === undefined ? [] : [delta]))).toEqual(['Let me see.', 'One.']);
  });

  it('comes back to a message that was continued: told from its beginning, finished once, nothing asked again', async () => {
    const held = new Gate();
    const calls = [call('refund', { order: 1 }, 'again-1'), call('refund', { order: 2 }, 'again-2')];
    desk.play([[says('Shall I?'), ...calls], async () => (await held.pass(), [says('Done.')])]);
    const id = fresh('chat');
    const question = userMessage('go');
    const before = await chat(desk, chatBody(id, [question]));
    const [one, two] = requestedIn(before);
    const answer = answering({ id: one, approved: true }, { id: two, approved: false });
    const second = visiting((signal) => post(desk, 'chat', chatBody(id, [question, answer]), { signal }));
    await held.reached();
    const response = await get(desk, `chat/${id}/stream`);
    held.open();
    const chunks = await chunksIn(response);
    expect(chunks[0]).toEqual(before[0]);
    expect(chunkTypes(chunks)).toEqual([
      ...['start', 'start-step', 'text-start', 'text-delta', 'text-end'],
      ...['tool-input-start', 'tool-input-available', 'tool-input-start', 'tool-input-available', 'finish-step'],
      ...['tool-approval-request', 'tool-output-denied', 'tool-output-available'],
      ...['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'finish'],
    ]);
    await second.seen('finish');
    second.leave();
  });

  it('a run whose last reader left by that way is cancelled', async () => {
    desk.play([says4ever]);
    const id = fresh('chat');
    const first = say(id);
    await first.seen('text-delta');
    const second = visiting((signal) => get(desk, `chat/${id}/stream`, { signal }));
    await second.seen('text-delta');
    first.leave();
    await oneStream(desk);
    expect(await statusOf(desk, await runOf(id))).toBe('running');
    second.leave();
    expect(await recorded(id)).toEqual(CANCELLED);
    expect((await get(desk, `chat/${id}/stream`)).status).toBe(204);
  });

  it('cancelled from elsewhere, a client is told so, as the last thing', async () => {
    desk.play([says4ever]);
    const id = fresh('chat');
    const response = await post(desk, 'chat', chatBody(id, [userMessage('go')]));
    const data = dataIn(response);
    await jsonIn(post(desk, `runs/${response.headers.get('gatehouse-run-id')}/cancel`, { reason: 'enough' }));
    expect((await data).slice(-2)).toEqual(['{"type":"abort"}', '[DONE]']);
  });

  it('what is not theirs is not there', async () => {
    desk.play([says4ever]);
    const id = fresh('chat');
    const visit = say(id);
    await visit.seen('text-delta');
    for (const who of [{ user: 'bob', org: 'acme' }, { user: 'ann', org: 'other' }, { user: 'ann' }]) {
      expect((await get(desk, `chat/${id}/stream`, { who })).status).toBe(204);
      expect(await problemIn(await post(desk, 'chat', chatBody(id, [userMessage('mine')]), { who }))).toBe(
        '404 thread_not_found',
      );
      const answer = chatBody(id, [answering({ id: '0190a000-0000-7000-8000-000000000000', approved: true })]);
      expect(await problemIn(await post(desk, 'chat', answer, { who }))).toBe('404 thread_not_found');
    }
    const reader = visiting((signal) =>
      get(desk, `chat/${id}/stream`, { who: { user: 'dora', org: 'acme', roles: 'run.read' }, signal }),
    );
    await reader.seen('text-delta');
    reader.leave();
    await oneStream(desk);
    expect(await statusOf(desk, await runOf(id))).toBe('running');
    visit.leave();
    expect(await recorded(id)).toEqual(CANCELLED);
  });

  it('refusals are problem details', async () => {
    const body = chatBody(fresh('chat'), [userMessage('go')]);
    expect(await problemIn(await post(desk, 'chat', body, { who: {} }))).toBe('401 unauthenticated');
    expect(await problemIn(await get(desk, 'chat/x/stream', { who: {} }))).toBe('401 unauthenticated');
    expect(await problemIn(await post(desk, 'chat', body, { who: { ...ANN, roles: 'barred' } }))).toBe(
      '404 agent_not_found',
    );
    const headers = { 'content-type': 'text/plain' };
    expect(await problemIn(await post(desk, 'chat', 'x', { headers }))).toBe('415 unsupported_media_type');
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect(await problemIn(await post(desk, 'chat', body, { headers: crossSite }))).toBe('403 cross_site');
    expect(await problemIn(await post(desk, 'chat', { ...body, messages: 'x' }))).toBe('400 invalid_request');
    const refused = await post(desk, 'chat', { ...body, id: 7 });
    expect(refused.headers.get('x-vercel-ai-ui-message-stream')).toBeNull();
  });

  it('a second message while one is answered is a conflict', async () => {
    desk.play([says4ever]);
    const id = fresh('chat');
    const visit = say(id);
    await visit.seen('text-delta');
    expect(await problemIn(await post(desk, 'chat', chatBody(id, [userMessage('and?')])))).toBe('409 run_conflict');
    visit.leave();
    expect(await recorded(id)).toEqual(CANCELLED);
  });

  it('leaves no stream behind', async () => {
    await nobodyThere(desk);
    expect(desk.get(RunStreams).count).toBe(0);
  });
});

describe('a server that closes, or whose store goes away', () => {
  it('tells a chat client that its run was cancelled, and ends the stream', async () => {
    const desk = await openDesk();
    desk.play([says4ever]);
    const response = await post(desk, 'chat', chatBody(fresh('chat'), [userMessage('go')]));
    const data = dataIn(response);
    await desk.close();
    expect((await data).slice(-2)).toEqual(['{"type":"abort"}', '[DONE]']);
  });

  it('a stream that is open for its longest time ends with an error, and can be come back to', async () => {
    const desk = await openDesk({ streaming: { maxAge: 50, onDisconnect: 'continue' } });
    desk.play([says4ever]);
    const id = fresh('chat');
    const data = await dataIn(await post(desk, 'chat', chatBody(id, [userMessage('go')])));
    expect(data.slice(-2)).toEqual([
      '{"type":"error","errorText":"This stream was open for its longest time. The run goes on: attach again."}',
      '[DONE]',
    ]);
    const again = await get(desk, `chat/${id}/stream`);
    expect(chunkTypes(await chunksIn(again))).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'error']);
    await desk.close();
  });

  it('an error of the stream itself is told as one of ours, never as an event of Nest', async () => {
    const desk = await openDesk();
    desk.play([says4ever]);
    const feed = desk.get(RunFeed);
    feed.batches = async function* () {
      yield [{ seq: 1, event: { type: 'run.started', runId: 'r', threadId: 't', segment: 's' } }];
      throw new Error('secret of the driver');
    };
    const text = await (await post(desk, 'chat', chatBody(fresh('chat'), [userMessage('go')]))).text();
    expect(text).not.toMatch(/event:|secret/);
    expect(text).toMatch(
      /data: \{"type":"error","errorText":"Something went wrong here\..*\}\n\nid: 1\.2\ndata: \[DONE\]\n\n$/,
    );
    await desk.close();
  });
});
