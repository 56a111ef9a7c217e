import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import fc from 'fast-check';
import { AgentRunner, RunStreams, type RunContext } from 'nest-gatehouse';

import { openDesk, DeskAgent, type Desk } from '../e2e/support/desk.app.js';
import { Gate } from '../e2e/support/gate.js';
import { stories } from '../support/stories/story.arbitrary.js';
import { performing } from '../support/stories/story.executor.js';
import type { Story, Told } from '../support/stories/story.js';
import { StoryModule, StoryTools } from '../support/stories/story.tools.js';
import { ChatClient } from './support/chat.client.js';

const CASES = Number(process.env['PROPERTY_RUNS'] ?? 100);

/** What was answered, and by whom, is the first client's own knowledge: the stream tells what came of it. */
const partsOf = (message: UIMessage | undefined): unknown[] =>
  (message?.parts ?? []).map((part) => ('approval' in part ? { ...part, approval: undefined } : part));

describe('whatever a run says and does', () => {
  let desk: Desk;
  let chats = 0;
  beforeAll(async () => (desk = await openDesk({ runs: { grace: 50 } }, [StoryModule])));
  afterAll(() => desk.close());

  const api = () => `${desk.url}/agent/chat`;

  /** What a client reads that comes back while the run is under way: the whole message, from its beginning. */
  const attached = async (chatId: string): Promise<UIMessage | undefined> => {
    const transport = new DefaultChatTransport({ api: api(), headers: { 'x-user': 'ann', 'x-org': 'acme' } });
    const stream = await transport.reconnectToStream({ chatId });
    if (stream === null) return undefined;
    let last: UIMessage | undefined;
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
    return last;
  };

  /** Plays a story against the real client, answering whatever it asks; a second one attaches just before the end. */
  const told = async (story: Story, chat: ChatClient): Promise<UIMessage | undefined> => {
    const tools = desk.get(StoryTools);
    tools.left = new Gate();
    const runner = desk.get(AgentRunner);
    let second: Promise<UIMessage | undefined> = Promise.resolve(undefined);
    const stage = {
      cancel: (runId: string) => void runner.cancel(runId, 'from inside'),
      beforeTheEnd: async ({ signal }: RunContext) => {
        second = attached(chat.id);
        const streams = desk.get(RunStreams);
        while (streams.count < 2 && !signal.aborted) await new Promise(setImmediate);
      },
    };
    desk.get(DeskAgent).script = performing(story, stage);
    await chat.sendMessage({ text: 'go' });
    while (chat.error === undefined && chat.approvals.length > 0) {
      for (const { approval, input } of chat.calls) {
        if (approval === undefined || approval.approved !== undefined) continue;
        const approved = (input as Partial<Told>).answer === 'approve';
        await chat.addToolApprovalResponse({ id: approval.id, approved });
      }
      await chat.rest();
    }
    tools.left.open();
    return second;
  };

  it("the AI SDK's own client reads it to its end, and one that comes back reads the same", async () => {
    const property = fc.asyncProperty(stories, async (story) => {
      const chat = new ChatClient(api(), { id: `story-${(chats += 1)}` });
      const again = await told(story, chat);
      expect(['ready', 'error']).toContain(chat.status);
      expect(chat.error?.message ?? 'The run').toMatch(/^The run/);
      const { lastMessage } = chat;
      expect(lastMessage?.role).toBe('assistant');
      if (again !== undefined) expect(partsOf(again)).toEqual(partsOf(lastMessage));
      expect(JSON.stringify(chat.messages)).not.toContain('hunter2');
      // A run that was cancelled from inside may leave a call without its input; every other call has come to something.
      const open = chat.calls.filter(({ state }) => !/^(output|input-available|approval)/.test(state));
      expect(open).toEqual([]);
    });
    await fc.assert(property, { numRuns: CASES, seed: 20_261_130, includeErrorInReport: true });
  }, 240_000);
});
