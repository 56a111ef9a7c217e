import { call, says } from 'nest-gatehouse/testing';

import { answering, chat, chatBody, chunkTypes, requestedIn, userMessage, type Chunk } from './support/chat.js';
import { agentOf, ANN, asks, eventsIn, fresh, play, post, type Received, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

const BOB: Who = { user: 'bob', org: 'acme', roles: 'thread.continue,approval.read,approval.decide' };

/** `RUN_STARTED`, or `RUN_ERROR <code>`: what an AG-UI stream begins with. */
const beginningOf = ([first]: readonly Received[]): string =>
  first?.event.type === 'RUN_ERROR' ? `RUN_ERROR ${String(first.event['code'])}` : String(first?.event.type);

describe('an answer that is sent twice', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());
  beforeEach(() => void desk.tools.done.splice(0));

  /** Refunds once it may, then takes its time. */
  const script = () => {
    desk.tools.hold();
    desk.play([
      [call('refund', { order: 7 }, fresh('call'))],
      [call('slow', { order: 7 }, fresh('call'))],
      [says('Done.')],
    ]);
  };

  describe('by a chat', () => {
    const suspended = async () => {
      script();
      const id = fresh('chat');
      const question = userMessage('go');
      const [approvalId] = requestedIn(await chat(desk, chatBody(id, [question])));
      const answer = (approved: boolean, who?: Who): Promise<Chunk[]> =>
        chat(desk, chatBody(id, [question, answering({ id: approvalId, approved })]), { who });
      return answer;
    };

    it('while the run goes on follows its stream, from the segment that the answer opened', async () => {
      const answer = await suspended();
      const first = answer(true);
      await desk.tools.slowly.reached();
      const second = answer(true);
      while (desk.busy() < 2) await new Promise(setImmediate);
      desk.tools.slowly.open();
      expect(chunkTypes(await first)).toContain('tool-output-available');
      expect(await second).toEqual(await first);
      expect(desk.tools.done).toEqual(['refund 7 0', 'slow started']);
    });

    it('at the very same time opens one segment, which both read', async () => {
      const answer = await suspended();
      const both = Promise.all([answer(true), answer(true)]);
      await desk.tools.slowly.reached();
      while (desk.busy() < 2) await new Promise(setImmediate);
      desk.tools.slowly.open();
      const [first, second] = await both;
      expect(chunkTypes(first ?? [])).toContain('tool-output-available');
      expect(second).toEqual(first);
      expect(desk.tools.done).toEqual(['refund 7 0', 'slow started']);
    });

    it('in other words decides nothing, and follows nothing', async () => {
      const answer = await suspended();
      const first = answer(true);
      await desk.tools.slowly.reached();
      expect(chunkTypes(await answer(false))).toEqual(['error']);
      desk.tools.slowly.open();
      expect(chunkTypes(await first).at(-1)).toBe('finish');
    });

    it('is refused once the run is over', async () => {
      const answer = await suspended();
      desk.tools.slowly.open();
      await answer(true);
      expect(chunkTypes(await answer(true))).toEqual(['error']);
      expect(desk.tools.done).toEqual(['refund 7 0', 'slow started']);
    });
  });

  describe('over AG-UI', () => {
    const suspended = async () => {
      script();
      const input = asks('go');
      const outcome = (await eventsIn(await post(desk, 'runs', input))).at(-1)?.event['outcome'];
      const [interrupt] = (outcome as { interrupts: { id: string }[] }).interrupts;
      const resume = (payload: object, who = ANN) => {
        const answers = [{ interruptId: interrupt?.id, status: 'resolved', payload }];
        const body = { ...input, runId: fresh('segment'), messages: [], resume: answers };
        return post(desk, 'runs', body, { who }).then(eventsIn);
      };
      return resume;
    };

    it('[360] while the run goes on follows its stream', async () => {
      const resume = await suspended();
      const first = resume({ approved: true });
      await desk.tools.slowly.reached();
      const second = resume({ approved: true });
      while (desk.busy() < 2) await new Promise(setImmediate);
      desk.tools.slowly.open();
      expect((await first).at(-1)?.event.type).toBe('RUN_FINISHED');
      expect(await second).toEqual(await first);
      expect(desk.tools.done).toEqual(['refund 7 0', 'slow started']);
    });

    it.each([
      ['another answer', { approved: false }, ANN, 'RUN_ERROR approval_conflict'],
      ['other arguments', { approved: true, editedArgs: { order: 7, amount: 3 } }, ANN, 'RUN_ERROR approval_conflict'],
      ['somebody else, who may not decide', { approved: true }, BOB, 'RUN_ERROR approval_forbidden'],
    ])('%s is refused, and follows nothing', async (_what, payload, who, refusal) => {
      const resume = await suspended();
      const first = resume({ approved: true });
      await desk.tools.slowly.reached();
      expect(beginningOf(await resume(payload, who))).toBe(refusal);
      desk.tools.slowly.open();
      expect((await first).at(-1)?.event.type).toBe('RUN_FINISHED');
    });

    it('the real client reads the whole of it', async () => {
      script();
      const agent = agentOf(desk);
      agent.addMessage({ id: fresh('message'), role: 'user', content: 'go' });
      await play(agent);
      const twin = agentOf(desk);
      twin.threadId = agent.threadId;
      const [interrupt] = agent.pendingInterrupts;
      const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } }];
      const first = play(agent, { resume });
      await desk.tools.slowly.reached();
      const second = play(twin, { resume });
      while (desk.busy() < 2) await new Promise(setImmediate);
      desk.tools.slowly.open();
      expect(await second).toEqual(await first);
      expect(await first).toMatchObject({ outcome: 'success', error: undefined });
    });
  });
});
