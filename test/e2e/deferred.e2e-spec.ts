import { Injectable, Module } from '@nestjs/common';
import { AgentRunner, CallDeferred, Tool } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { chat, chatBody, chunkTypes, userMessage } from './support/chat.js';
import { agentOf, asks, eventsIn, fresh, get, jsonIn, play, post } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

@Injectable()
class Printer {
  @Tool({ description: 'Print an order', parameters: { type: 'object' } })
  print(): never {
    throw new CallDeferred({ queue: 'printers' });
  }
}
@Module({ providers: [Printer] })
class PrinterModule {}

const ANN = { id: 'ann', organizationId: 'acme' };

describe('a call that somebody outside answers, over HTTP', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({}, [PrinterModule])));
  afterAll(() => desk.close());

  const asking = async () => {
    const agent = agentOf(desk);
    agent.addMessage({ id: fresh('message'), role: 'user', content: 'print it' });
    return { agent, first: await play(agent) };
  };
  const runOf = async (threadId: string) =>
    (await jsonIn<{ items: { id: string; status: string }[] }>(get(desk, `runs?threadId=${threadId}&limit=1`)))
      .items[0];
  const answer = (interruptId: string, payload: object) => ({
    resume: [{ interruptId, status: 'resolved' as const, payload }],
  });

  it('is an interrupt for its result; answered, the run goes on, and only the result is streamed', async () => {
    const script = desk.play([[call('print', { order: 7 }, 'call-1')], [says('Printed.')]]);
    const { agent, first } = await asking();
    expect({ outcome: first.outcome, error: first.error }).toEqual({ outcome: 'interrupt', error: undefined });
    const [interrupt, ...others] = agent.pendingInterrupts;
    expect(others).toEqual([]);
    expect(interrupt).toMatchObject({
      reason: 'external_result',
      toolCallId: 'call-1',
      message: 'Waits for the result of print.',
      metadata: { gatehouse: { toolName: 'print', deferred: { queue: 'printers' } } },
    });
    const second = await play(agent, answer(interrupt?.id ?? '', { result: { pages: 3 } }));
    expect({ outcome: second.outcome, error: second.error }).toEqual({ outcome: 'success', error: undefined });
    expect(second.types.filter((type) => type.startsWith('TOOL_CALL'))).toEqual(['TOOL_CALL_RESULT']);
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const told = script.requests.at(-1)?.findLast(({ role }) => role === 'tool');
    expect(told).toMatchObject({ results: [{ toolCallId: 'call-1', outcome: 'success', content: '{"pages":3}' }] });
  });

  it('needs a result or an error; what is neither decides nothing', async () => {
    const script = desk.play([[call('print', {}, 'call-2')], [says('Then not.')]]);
    const { agent } = await asking();
    const id = agent.pendingInterrupts[0]?.id ?? '';
    expect((await play(agent, answer(id, { approved: true }))).error).toBe('invalid_request');
    const second = await play(agent, answer(id, { error: 'Out of paper.' }));
    expect(second.outcome).toBe('success');
    const told = script.requests.at(-1)?.findLast(({ role }) => role === 'tool');
    expect(told).toMatchObject({ results: [{ outcome: 'failed', content: 'Out of paper.' }] });
  });

  it('waits for all the results in one request', async () => {
    desk.play([[call('print', {}, 'call-3'), call('print', {}, 'call-4')], [says('Printed.')]]);
    const { agent } = await asking();
    const ids = agent.pendingInterrupts.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const partly = { ...asks('', answer(ids[0] ?? '', { result: 1 })), messages: [], threadId: agent.threadId };
    expect((await eventsIn(await post(desk, 'runs', partly))).map(({ event }) => event['code'])).toEqual([
      'resume_incomplete',
    ]);
    const resume = ids.map((interruptId) => ({ interruptId, status: 'resolved' as const, payload: { result: 1 } }));
    expect((await play(agent, { resume })).outcome).toBe('success');
  });

  it('is no interrupt while an approval beside it waits; once that is answered, it is', async () => {
    desk.play([[call('refund', { order: 7 }, 'call-5'), call('print', {}, 'call-6')], [says('Both.')]]);
    const { agent } = await asking();
    expect(agent.pendingInterrupts).toMatchObject([{ reason: 'tool_call', toolCallId: 'call-5' }]);
    const approved = await play(agent, answer(agent.pendingInterrupts[0]?.id ?? '', { approved: true }));
    expect({ outcome: approved.outcome, error: approved.error }).toEqual({ outcome: 'interrupt', error: undefined });
    expect(agent.pendingInterrupts).toMatchObject([{ reason: 'external_result', toolCallId: 'call-6' }]);
    const last = await play(agent, answer(agent.pendingInterrupts[0]?.id ?? '', { result: 'ok' }));
    expect({ outcome: last.outcome, error: last.error }).toEqual({ outcome: 'success', error: undefined });
    expect(desk.tools.done).toContain('refund 7 0');
  });

  it('ends the answer of a chat, whose next message finds what a program has answered meanwhile', async () => {
    desk.play([[call('print', {}, 'call-7')], [says('Printed.')]]);
    const id = fresh('thread');
    const chunks = await chat(desk, chatBody(id, [userMessage('print it')]));
    expect(chunkTypes(chunks)).toEqual([
      'start',
      'start-step',
      'tool-input-start',
      'tool-input-available',
      'finish-step',
      'finish',
    ]);
    const run = await runOf(id);
    expect(run?.status).toBe('suspended');
    const results = [{ toolCallId: 'call-7', value: 'printed' }];
    const { outcome } = desk.get(AgentRunner).resume({ runId: run?.id ?? '', user: ANN, results });
    expect(await outcome).toMatchObject({ status: 'completed', text: 'Printed.' });
    desk.play([[says('You are welcome.')]]);
    const next = await chat(desk, chatBody(id, [userMessage('thanks')]));
    expect(chunkTypes(next)).toContain('text-delta');
  });
});
