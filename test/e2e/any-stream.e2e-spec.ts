import { jest } from '@jest/globals';
import { HttpAgent, type ResumeEntry } from '@ag-ui/client';
import fc from 'fast-check';
import { AgentRunner } from 'nest-gatehouse';

import { stories } from '../support/stories/story.arbitrary.js';
import { performing } from '../support/stories/story.executor.js';
import type { Story, Told } from '../support/stories/story.js';
import { StoryModule, StoryTools } from '../support/stories/story.tools.js';
import { ANN, eventsIn, fresh, get, headersOf, type Received } from './support/client.js';
import { DeskAgent, openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';

const CASES = Number(process.env['PROPERTY_RUNS'] ?? 100);

/** The real client, given these events for an answer. */
const reading = (events: readonly Received[]): HttpAgent => {
  const text = events.map(({ id, event }) => `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  return new HttpAgent({ url: 'http://replay', fetch: () => Promise.resolve(new Response(text, { headers })) });
};

/** The answer that the arguments of a call ask for. */
const answerTo = (agent: HttpAgent, interruptId: string, toolCallId: string | undefined): ResumeEntry => {
  const calls = agent.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const args = JSON.parse(calls.find(({ id }) => id === toolCallId)?.function.arguments ?? '{}') as Partial<Told>;
  if (args.answer === 'cancel') return { interruptId, status: 'cancelled' };
  return { interruptId, status: 'resolved', payload: { approved: args.answer === 'approve' } };
};

describe('whatever a run says and does', () => {
  let desk: Desk;
  const warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  beforeAll(async () => (desk = await openDesk({ runs: { grace: 50 } }, [StoryModule])));
  afterEach(() => warned.mockClear());
  afterAll(async () => {
    warned.mockRestore();
    await desk.close();
  });

  /** Plays a story against the real client, answering whatever it asks. Returns what came over the wire, in order. */
  const told = async (story: Story, agent: HttpAgent): Promise<{ runId: string; sent: Received[] }> => {
    const tools = desk.get(StoryTools);
    tools.left = new Gate();
    const runner = desk.get(AgentRunner);
    desk.get(DeskAgent).script = performing(story, { cancel: (runId) => void runner.cancel(runId, 'from inside') });
    const streams: Promise<Received[]>[] = [];
    let runId = '';
    agent.fetch = async (url, init) => {
      const response = await fetch(url, init);
      runId = response.headers.get('gatehouse-run-id') ?? '';
      streams.push(eventsIn(response.clone()));
      return response;
    };
    agent.addMessage({ id: fresh('message'), role: 'user', content: 'go' });
    let failed = false;
    const watching = { onRunErrorEvent: () => void (failed = true) };
    await agent.runAgent({ runId: fresh('segment') }, watching);
    // The client keeps what was pending through an error, which ends the run.
    while (agent.pendingInterrupts.length > 0 && !failed) {
      const resume = agent.pendingInterrupts.map(({ id, toolCallId }) => answerTo(agent, id, toolCallId));
      await agent.runAgent({ runId: fresh('segment'), resume }, watching);
    }
    tools.left.open();
    return { runId, sent: (await Promise.all(streams)).flat() };
  };

  const open = () =>
    new HttpAgent({ url: `${desk.url}/agent/runs`, threadId: fresh('thread'), headers: headersOf(ANN) });

  it("AG-UI's own client neither throws nor complains; what is replayed is what was sent, and reads the same", async () => {
    const property = fc.asyncProperty(stories, fc.nat(), async (story, cut) => {
      const agent = open();
      const { runId, sent } = await told(story, agent);
      expect(sent.map(({ id }) => id)).toEqual(sent.map((_, at) => at + 1));
      const replayed = await eventsIn(await get(desk, `runs/${runId}/events`));
      expect(replayed).toEqual(sent);
      const after = cut % sent.length;
      const rest = await get(desk, `runs/${runId}/events`, { headers: { 'last-event-id': String(after) } });
      expect(await eventsIn(rest)).toEqual(sent.slice(after));
      const replay = reading(sent);
      await replay.runAgent();
      expect(replay.messages).toEqual(agent.messages.slice(1));
      expect(replay.state).toEqual(agent.state);
      expect(JSON.stringify(sent)).not.toContain('hunter2');
      expect(warned.mock.calls).toEqual([]);
    });
    await fc.assert(property, { numRuns: CASES, seed: 20_261_130, includeErrorInReport: true });
  }, 240_000);
});
