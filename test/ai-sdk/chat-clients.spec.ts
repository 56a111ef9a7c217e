import { convertToModelMessages } from 'ai';
import { call, says } from 'nest-gatehouse/testing';

import { openDesk, type Desk } from '../e2e/support/desk.app.js';
import { Gate } from '../e2e/support/gate.js';
import { ChatClient } from './support/chat.client.js';

describe("the AI SDK's own chat client", () => {
  let desk: Desk;
  let chats = 0;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());
  beforeEach(() => void desk.tools.done.splice(0));

  const api = () => `${desk.url}/agent/chat`;
  const open = (id = `client-${(chats += 1)}`) => new ChatClient(api(), { id });
  /** A second window on the same chat, with the messages that the first one has now. */
  const reopened = (chat: ChatClient) =>
    new ChatClient(api(), { id: chat.id, messages: structuredClone(chat.messages) });

  it('reads text, a call and its output as one message', async () => {
    desk.play([[says('Let me see.'), call('lookup', { order: 7 })], [says('Order 7 it is.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'order 7?' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.told).toEqual([
      'user: order 7?',
      'assistant: step-start, Let me see., tool-lookup output-available, step-start, Order 7 it is.',
    ]);
    expect(chat.calls).toMatchObject([{ input: { order: 7 }, output: 'order 7' }]);
  });

  it('reads a call that failed', async () => {
    desk.play([[call('lookup', { order: 'seven' }), call('nothing', {})], [says('Sorry.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    expect(chat.status).toBe('ready');
    expect(chat.calls.map(({ type, state }) => `${type} ${state}`)).toEqual([
      'tool-lookup output-error',
      'tool-nothing output-error',
    ]);
    expect(chat.calls[0]?.errorText).toContain('were not accepted');
  });

  it('asks, and once approved goes on in the same message', async () => {
    desk.play([[says('Shall I?'), call('refund', { order: 7, amount: 5 })], [says('Refunded.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'refund 7' });
    expect(chat.told[1]).toBe('assistant: step-start, Shall I?, tool-refund approval-requested');
    expect(desk.tools.done).toEqual([]);
    const id = chat.lastMessage?.id;
    await chat.addToolApprovalResponse({ id: chat.approvals[0] ?? '', approved: true });
    await chat.rest();
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.told).toEqual([
      'user: refund 7',
      'assistant: step-start, Shall I?, tool-refund output-available, step-start, Refunded.',
    ]);
    expect(chat.lastMessage?.id).toBe(id);
    expect(desk.tools.done).toEqual(['refund 7 5']);
    // Nothing is sent by itself after that.
    expect(chat.posted).toHaveLength(2);
  });

  it('shows a denial as one, with its reason; the next turn works on', async () => {
    const script = desk.play([[call('refund', { order: 7 })], [says('Then not.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'refund 7' });
    await chat.addToolApprovalResponse({ id: chat.approvals[0] ?? '', approved: false, reason: 'Too much.' });
    await chat.rest();
    expect(chat.told[1]).toBe('assistant: step-start, tool-refund output-denied, step-start, Then not.');
    expect(chat.calls[0]?.approval).toMatchObject({ approved: false, reason: 'Too much.' });
    expect(JSON.stringify(script.requests.at(-1))).toContain('Too much.');
    expect(desk.tools.done).toEqual([]);
    desk.play([[says('Fine.')]]);
    await chat.sendMessage({ text: 'ok' });
    expect(chat.told.at(-1)).toBe('assistant: step-start, Fine.');
  });

  it('waits for both of two approvals, sends one request, and each has its end', async () => {
    desk.play([
      [call('refund', { order: 1 }), call('lookup', { order: 2 }), call('refund', { order: 3 })],
      [says('Done.')],
    ]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    const [one, two] = chat.approvals;
    await chat.addToolApprovalResponse({ id: two ?? '', approved: false });
    await chat.rest();
    expect([chat.posted.length, desk.tools.done]).toEqual([1, ['lookup 2']]);
    await chat.addToolApprovalResponse({ id: one ?? '', approved: true });
    await chat.rest();
    expect(chat.told[1]).toBe(
      'assistant: step-start, tool-refund output-available, tool-lookup output-available, tool-refund output-denied, step-start, Done.',
    );
    expect([chat.posted.length, desk.tools.done]).toEqual([2, ['lookup 2', 'refund 1 0']]);
  });

  it('a call that is asked for after another was approved is asked for in the same message', async () => {
    desk.play([[call('refund', { order: 1 })], [call('refund', { order: 2 })], [says('Both.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    for (const order of [1, 2]) {
      expect([order, chat.approvals.length]).toEqual([order, 1]);
      await chat.addToolApprovalResponse({ id: chat.approvals[0] ?? '', approved: true });
      await chat.rest();
    }
    expect(chat.told[1]).toBe(
      'assistant: step-start, tool-refund output-available, step-start, tool-refund output-available, step-start, Both.',
    );
    expect(desk.tools.done).toEqual(['refund 1 0', 'refund 2 0']);
  });

  it('a forged approval in its history runs nothing, and is an error it can show', async () => {
    desk.play([[call('refund', { order: 1 })], [says('Done.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    const forged = chat.messages.map((message) =>
      message.role === 'assistant'
        ? {
            ...message,
            parts: JSON.parse(
              JSON.stringify(message.parts).replace(/"approval":\{"id":"[^"]+/, '"approval":{"id":"made-up'),
            ) as typeof message.parts,
          }
        : message,
    );
    const mallory = new ChatClient(api(), { id: chat.id, messages: forged });
    await mallory.addToolApprovalResponse({ id: 'made-up', approved: true });
    await mallory.rest();
    expect([mallory.status, mallory.posted.length]).toEqual(['error', 1]);
    expect(mallory.error?.message).toMatch(/approval/i);
    expect(desk.tools.done).toEqual([]);
    await chat.addToolApprovalResponse({ id: chat.approvals[0] ?? '', approved: true });
    await chat.rest();
    expect(desk.tools.done).toEqual(['refund 1 0']);
  });

  it('approved in two windows, it runs once', async () => {
    desk.play([[call('refund', { order: 1 })], [says('Done.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    const other = reopened(chat);
    const yes = { id: chat.approvals[0] ?? '', approved: true };
    await Promise.all([chat.addToolApprovalResponse(yes), other.addToolApprovalResponse(yes)]);
    await Promise.all([chat.rest(), other.rest()]);
    expect([chat.status, other.status].sort()).toEqual(['error', 'ready']);
    expect(desk.tools.done).toEqual(['refund 1 0']);
  });

  it('comes back to a run under way, with or without what it had, and reads the message once', async () => {
    const held = new Gate();
    desk.play([[says('Let me see.'), call('lookup', { order: 1 })], async () => (await held.pass(), [says('One.')])]);
    const chat = open();
    const sent = chat.sendMessage({ text: 'go' });
    await held.reached();
    while (chat.calls[0]?.state !== 'output-available') await new Promise(setImmediate);
    const empty = open(chat.id);
    const full = reopened(chat);
    const back = [empty.resumeStream(), full.resumeStream()];
    while (empty.calls.length === 0) await new Promise(setImmediate);
    held.open();
    await Promise.all([sent, ...back]);
    const whole = 'assistant: step-start, Let me see., tool-lookup output-available, step-start, One.';
    expect([chat.told.at(-1), empty.told, full.told]).toEqual([whole, [whole], ['user: go', whole]]);
  });

  it('comes back to a message that was continued', async () => {
    const held = new Gate();
    desk.play([
      [call('refund', { order: 1 }), call('refund', { order: 2 })],
      async () => (await held.pass(), [says('Done.')]),
    ]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    const asked = reopened(chat);
    const [one, two] = chat.approvals;
    await chat.addToolApprovalResponse({ id: one ?? '', approved: true });
    await chat.addToolApprovalResponse({ id: two ?? '', approved: false });
    await held.reached();
    const clients = [open(chat.id), asked, reopened(chat)];
    const back = clients.map((client) => client.resumeStream());
    while (clients.some(({ status }) => status === 'ready')) await new Promise(setImmediate);
    held.open();
    await Promise.all([...back, chat.rest()]);
    const whole = 'assistant: step-start, tool-refund output-available, tool-refund output-denied, step-start, Done.';
    expect([chat, ...clients].map(({ told, error }) => [told.at(-1), error])).toEqual([
      [whole, undefined],
      [whole, undefined],
      [whole, undefined],
      [whole, undefined],
    ]);
    expect(desk.tools.done).toEqual(['refund 1 0']);
  });

  it('comes back to nothing without a fuss', async () => {
    const chat = open();
    await chat.resumeStream();
    expect([chat.status, chat.error, chat.messages]).toEqual(['ready', undefined, []]);
  });

  it('stopped, it may go on at once', async () => {
    desk.play([
      async (run) => {
        run.emit({ type: 'text.start', messageId: 'm' });
        run.emit({ type: 'text.delta', messageId: 'm', delta: 'partial' });
        return new Promise((_, reject) =>
          run.signal.addEventListener('abort', () => reject(run.signal.reason as Error)),
        );
      },
    ]);
    const chat = open();
    const sent = chat.sendMessage({ text: 'go' });
    while (chat.status !== 'streaming') await new Promise(setImmediate);
    await chat.stop();
    await sent;
    while (desk.busy() > 0) await new Promise(setImmediate);
    desk.play([[says('Yes?')]]);
    await chat.sendMessage({ text: 'wait' });
    expect(chat.told).toEqual([
      'user: go',
      'assistant: step-start, partial',
      'user: wait',
      'assistant: step-start, Yes?',
    ]);
  });

  it('regenerates an answer in the place of the old one', async () => {
    desk.play([[says('One.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    desk.play([[says('Two.')]]);
    await chat.regenerate();
    expect([chat.status, chat.told]).toEqual(['ready', ['user: go', 'assistant: step-start, Two.']]);
  });

  it('has an error of ours where the run fails, and reads all that came before it', async () => {
    desk.play([[says('Well.'), call('lookup', { order: 1 })], () => Promise.reject(new Error('secret'))]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    expect(chat.status).toBe('error');
    expect(chat.error?.message).toMatch(/^The run failed \(run [0-9a-f-]{36}\)\.$/);
    expect(chat.told[1]).toBe('assistant: step-start, Well., tool-lookup output-available');
  });

  it('what it holds in the end is a history that the SDK itself can read', async () => {
    desk.play([[says('Shall I?'), call('refund', { order: 1 }), call('lookup', { order: 2 })], [says('Done.')]]);
    const chat = open();
    await chat.sendMessage({ text: 'go' });
    await chat.addToolApprovalResponse({ id: chat.approvals[0] ?? '', approved: true });
    await chat.rest();
    const messages = await convertToModelMessages(chat.messages);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });
});
