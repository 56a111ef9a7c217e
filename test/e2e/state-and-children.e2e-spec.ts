import { Injectable, Module } from '@nestjs/common';
import { AgentRunner, Tool, type ToolCall } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { chat, chatBody, userMessage } from './support/chat.js';
import { agentOf, asks, eventsIn, fresh, get, play, post, type Received } from './support/client.js';
import { DeskAgent, openDesk, type Desk } from './support/desk.app.js';

const parameters = { type: 'object' };
const NOTE = 'a note that is longer than any patch of the order beside it, so that patches are worth it';

@Injectable()
class StateTools {
  children: string[] = [];

  constructor(private readonly runner: AgentRunner) {}

  @Tool({ description: 'Notes an order', parameters })
  note({ order }: { order: number }, { state }: ToolCall): string {
    Object.assign(state, { order, note: NOTE, password: 'hunter2' });
    return 'noted';
  }

  @Tool({ description: 'Asks another agent', parameters })
  async delegate({ fails }: { fails?: boolean }): Promise<unknown> {
    const failing = { execute: () => Promise.reject(new Error('kaboom')) };
    const child = this.runner.start({ agent: fails ? failing : scriptedExecutor([[says('found')]]), input: 'go' });
    this.children.push(child.runId);
    return child.result();
  }
}

@Module({ providers: [StateTools] })
class StateModule {}

const ofType = (received: readonly Received[], ...types: string[]) =>
  received.map(({ event }) => event).filter(({ type }) => types.some((one) => type.startsWith(one)));

describe('what a stream tells beside the conversation', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({}, [StateModule])));
  afterAll(() => desk.close());
  beforeEach(() => void desk.get(StateTools).children.splice(0));

  it('the state: the whole once, then what changed, told after the call that changed it, without its secrets', async () => {
    desk.play([[call('note', { order: 7 })], [call('note', { order: 8 }), call('note', { order: 8 })], [says('done')]]);
    const received = await eventsIn(await post(desk, 'runs', asks('go')));
    expect(
      ofType(received, 'STATE', 'TOOL_CALL_RESULT').map(({ type, snapshot, delta }) => [type, snapshot ?? delta]),
    ).toEqual([
      ['TOOL_CALL_RESULT', undefined],
      ['STATE_SNAPSHOT', { order: 7, note: NOTE, password: '[redacted]' }],
      ['TOOL_CALL_RESULT', undefined],
      ['STATE_DELTA', [{ op: 'replace', path: '/order', value: 8 }]],
      ['TOOL_CALL_RESULT', undefined],
    ]);
  });

  it('the real client holds the state, also through an approval; what it held itself is replaced', async () => {
    desk.play([[call('note', { order: 7 })], [call('refund', { order: 7 })], [says('done')]]);
    const agent = agentOf(desk);
    agent.setState({ stale: true });
    agent.addMessage({ id: fresh('message'), role: 'user', content: 'go' });
    await play(agent);
    expect(agent.state).toEqual({ order: 7, note: NOTE, password: '[redacted]' });
    agent.setState({ stale: true });
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
      payload: { approved: true },
    }));
    await play(agent, { resume });
    expect(agent.state).toEqual({ order: 7, note: NOTE, password: '[redacted]' });
  });

  it('child runs: as subagents of the call that started them, each with a stream of its own', async () => {
    desk.play([[call('delegate', {}, 'c1'), call('delegate', { fails: true }, 'c2')], [says('done')]]);
    const received = await eventsIn(await post(desk, 'runs', asks('go')));
    const [found, failed] = desk.get(StateTools).children;
    const told = ofType(received, 'SUBAGENT').map(({ type, subagentRunId, parentToolCallId, code }) =>
      [
        type,
        subagentRunId === found ? 'found' : subagentRunId === failed ? 'failed' : 'unknown',
        parentToolCallId ?? code,
      ].join(' '),
    );
    expect(told.toSorted()).toEqual([
      'SUBAGENT_ERROR failed failed',
      'SUBAGENT_FINISHED found ',
      'SUBAGENT_STARTED failed c2',
      'SUBAGENT_STARTED found c1',
    ]);
    const own = await eventsIn(await get(desk, `runs/${found}/events`));
    expect(own.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', result: 'found' });
    // A child is over before the call that waited for it.
    const at = (type: string, id: string) =>
      received.findIndex(({ event }) => event.type === type && Object.values(event).includes(id));
    expect(at('SUBAGENT_FINISHED', String(found))).toBeLessThan(at('TOOL_CALL_RESULT', 'c1'));
  });

  it('tokens: of each segment in AG-UI; of the whole run, in the metadata of its one message', async () => {
    const counting = (turns: readonly (readonly string[])[]) => {
      desk.get(DeskAgent).script = {
        requests: [],
        results: [],
        execute: async (run) => {
          for (const tools of turns.slice(run.resumed === undefined ? 0 : run.usage.requests)) {
            await run.admitRequest();
            const calls = tools.map((toolName) => ({ toolName, args: { order: 7 } }));
            await run.callBatch(calls, { text: 'hi', inputTokens: 10, outputTokens: 2 });
          }
          return run.output ?? { value: null };
        },
      };
    };
    counting([['note'], ['refund'], []]);
    const input = asks('go');
    const first = (await eventsIn(await post(desk, 'runs', input))).at(-1)?.event;
    const { interrupts } = first?.['outcome'] as { interrupts: { id: string }[] };
    const resume = [{ interruptId: interrupts[0]?.id, status: 'resolved', payload: { approved: true } }];
    const again = { ...input, runId: fresh('segment'), messages: [], resume };
    const second = (await eventsIn(await post(desk, 'runs', again))).at(-1)?.event;
    expect([first?.['usage'], second?.['usage']]).toEqual([
      [{ inputTokens: 20, outputTokens: 4, totalTokens: 24 }],
      [{ inputTokens: 10, outputTokens: 2, totalTokens: 12 }],
    ]);
    counting([['note'], []]);
    const chunks = await chat(desk, chatBody(fresh('thread'), [userMessage('go')]));
    expect(chunks.at(-1)).toEqual({
      type: 'finish',
      messageMetadata: { usage: { requests: 2, toolCalls: 1, inputTokens: 20, outputTokens: 4 } },
    });
    expect(chunks.find(({ type }) => type === 'data-state')).toEqual({
      type: 'data-state',
      id: 'state',
      data: { order: 7, note: NOTE, password: '[redacted]' },
    });
  });
});
