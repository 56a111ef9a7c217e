import { call, says } from 'nest-gatehouse/testing';

import { chat, chatBody, chunkTypes, userMessage } from './support/chat.js';
import { ANN, asks, eventsIn, fresh, get, jsonIn, post, problemIn } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

describe('a request that says nothing new', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());
  beforeEach(() => void desk.tools.done.splice(0));

  const statuses = async (threadId: unknown): Promise<string[]> => {
    const { items } = await jsonIn<{ items: { status: string }[] }>(get(desk, `runs?threadId=${String(threadId)}`));
    return items.map(({ status }) => status);
  };

  it.each([
    ['the same messages', (input: Record<string, unknown>) => input['messages']],
    ['no messages', () => []],
  ])('%s of a reloaded page deny nothing that waits; a new message takes its place', async (_what, messages) => {
    desk.play([[call('refund', { order: 1 })]]);
    const input = asks('go');
    const first = await eventsIn(await post(desk, 'runs', input));
    expect(first.at(-1)?.event).toMatchObject({ outcome: { type: 'interrupt' } });
    const { threadId } = input;
    const again = asks('', { threadId, messages: messages(input) });
    expect(await problemIn(await post(desk, 'runs', again))).toBe('409 run_conflict');
    expect(await statuses(threadId)).toEqual(['suspended']);
    desk.play([[says('never mind')]]);
    await eventsIn(await post(desk, 'runs', asks('leave it', { threadId })));
    expect([await statuses(threadId), desk.tools.done]).toEqual([['completed', 'cancelled'], []]);
  });

  it('nor in a chat', async () => {
    desk.play([[call('refund', { order: 1 })]]);
    const id = fresh('chat');
    const question = userMessage('go');
    await chat(desk, chatBody(id, [question]));
    for (const messages of [[question], []]) {
      const response = await post(desk, 'chat', chatBody(id, messages));
      expect(await problemIn(response)).toBe('409 run_conflict');
    }
    expect(await statuses(id)).toEqual(['suspended']);
  });

  it('asks for the answer that a run which failed still owes, and says nothing twice', async () => {
    const asked: unknown[] = [];
    const id = fresh('chat');
    const question = userMessage('hello');
    desk.play([
      () => {
        throw new Error('the model is away');
      },
    ]);
    expect(chunkTypes(await chat(desk, chatBody(id, [question]))).at(-1)).toBe('error');
    desk.play([
      (run) => {
        asked.push(...run.messages);
        return [says('Hi.')];
      },
    ]);
    // As `sendMessage()` without arguments sends it.
    await chat(desk, chatBody(id, [question], { messageId: Reflect.get(question, 'id') }));
    expect(asked).toMatchObject([{ role: 'user', text: 'hello' }]);
    expect(await statuses(id)).toEqual(['completed', 'failed']);
  });

  it('asked by somebody else is no way to learn that a thread waits', async () => {
    desk.play([[call('refund', { order: 1 })]]);
    const input = asks('go');
    await eventsIn(await post(desk, 'runs', input));
    const again = asks('', { threadId: input['threadId'], messages: [] });
    expect(await problemIn(await post(desk, 'runs', again, { who: { ...ANN, user: 'eve' } }))).toBe(
      '404 thread_not_found',
    );
  });
});
