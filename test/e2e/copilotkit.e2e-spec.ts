import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { jest } from '@jest/globals';
import { AgentRunner } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { CopilotVisitor } from './support/copilot.visitor.js';
import { openDesk, type Desk } from './support/desk.app.js';

const read = (path: string) => readFile(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

describe("CopilotKit's client", () => {
  let desk: Desk;
  // It prints what its hook is told, too.
  const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  beforeAll(async () => (desk = await openDesk()));
  beforeEach(() => {
    desk.tools.done.splice(0);
    printed.mockClear();
  });
  afterAll(async () => {
    printed.mockRestore();
    await desk.close();
  });

  const refund = () =>
    desk.play([
      [says('Let me see.'), call('lookup', { order: 7 })],
      [call('refund', { order: 7, amount: 5 })],
      [says('That is all.')],
    ]);
  const ASKED = [
    'user: refund 7',
    'assistant: Let me see. calls lookup',
    'tool: order 7',
    'assistant: calls refund',
  ] as const;

  it('reads text, a call and its result, and shows what waits for an answer', async () => {
    refund();
    const visitor = await CopilotVisitor.at(desk);
    await visitor.say('refund 7');
    expect(visitor.messages).toEqual(ASKED);
    expect(visitor.interrupts).toMatchObject([{ reason: 'tool_call', message: 'Refund order 7' }]);
    expect(visitor.types.at(-1)).toBe('RUN_FINISHED');
    expect([visitor.errors, desk.tools.done]).toEqual([[], ['lookup 7']]);
  });

  it('approves without the hook, and sees what the tool returned', async () => {
    refund();
    const visitor = await CopilotVisitor.at(desk);
    await visitor.say('refund 7');
    await visitor.answer({ approved: true });
    expect(visitor.messages).toEqual([...ASKED, 'tool: refunded', 'assistant: That is all.']);
    expect([visitor.errors, visitor.interrupts, desk.tools.done]).toEqual([[], [], ['lookup 7', 'refund 7 5']]);
  });

  it('denies without the hook, and sees why nothing was done', async () => {
    const script = refund();
    const visitor = await CopilotVisitor.at(desk);
    await visitor.say('refund 7');
    await visitor.answer({ approved: false, reason: 'Too much.' });
    expect(visitor.messages).toEqual([...ASKED, 'tool: Too much.', 'assistant: That is all.']);
    expect([visitor.errors, desk.tools.done]).toEqual([[], ['lookup 7']]);
    expect(JSON.stringify(script.requests.at(-1))).toContain('Too much.');
  });

  // The hook writes the answer down as the result of the call, and keeps that one when ours comes.
  it.each([
    ['an approval', { approved: true }, ['lookup 7', 'refund 7 5']],
    ['changed arguments', { approved: true, editedArgs: { order: 7, amount: 2 } }, ['lookup 7', 'refund 7 2']],
    ['a denial', { approved: false, reason: 'Too much.' }, ['lookup 7']],
  ])(
    'resumes with %s given through useInterrupt, once each answer has a run id of its own',
    async (_what, payload, done) => {
      refund();
      const visitor = (await CopilotVisitor.at(desk)).fit();
      await visitor.say('refund 7');
      await visitor.resolve(payload);
      expect(visitor.messages).toEqual([...ASKED, `tool: ${JSON.stringify(payload)}`, 'assistant: That is all.']);
      expect([visitor.errors, visitor.interrupts, desk.tools.done]).toEqual([[], [], done]);
      expect(visitor.posted.map(({ status }) => status)).toEqual([200, 200]);
      expect(new Set(visitor.posted.map(({ runId }) => runId)).size).toBe(2);
    },
  );

  it('answers all that wait in one request: one yes, one taken back', async () => {
    desk.play([[call('refund', { order: 1 }), call('refund', { order: 2 })], [says('Done.')]]);
    const visitor = (await CopilotVisitor.at(desk)).fit();
    await visitor.say('both');
    const [one, two] = visitor.interrupts;
    await visitor.cancel(two?.id);
    expect(visitor.posted).toHaveLength(1);
    await visitor.resolve({ approved: true }, one?.id);
    expect(visitor.posted[1]?.resume).toEqual([
      { interruptId: one?.id, status: 'resolved', payload: { approved: true } },
      { interruptId: two?.id, status: 'cancelled' },
    ]);
    expect([visitor.errors, visitor.messages.at(-1), desk.tools.done]).toEqual([
      [],
      'assistant: Done.',
      ['refund 1 0'],
    ]);
  });

  it('is refused where useInterrupt answers under the old run id; nothing is decided, and another answer counts', async () => {
    refund();
    const visitor = await CopilotVisitor.at(desk);
    await visitor.say('refund 7');
    await visitor.resolve({ approved: true });
    expect(visitor.posted.map(({ status }) => status)).toEqual([200, 409]);
    expect(visitor.errors).toEqual([
      expect.stringMatching(/^agent_run_failed_event: HTTP 409: .*"code":"run_conflict"/),
      expect.stringMatching(/^agent_run_failed: HTTP 409: .*"code":"run_conflict"/),
    ]);
    expect(desk.tools.done).toEqual(['lookup 7']);
    await visitor.answer({ approved: true });
    expect(desk.tools.done).toEqual(['lookup 7', 'refund 7 5']);
  });

  it('takes the end of a cancelled run, which its AG-UI does not know yet, for a failure; the next message is answered', async () => {
    const working = desk.tools.hold();
    let run = '';
    desk.play([
      ({ runId }) => {
        run = runId;
        return [call('slow', { order: 7 })];
      },
    ]);
    const visitor = await CopilotVisitor.at(desk);
    const said = visitor.say('go');
    await working.reached();
    await desk.get(AgentRunner).cancel(run, 'from elsewhere');
    await said;
    expect(visitor.errors).toEqual([
      expect.stringMatching(/^agent_run_failed_event: .*"Invalid discriminator value/s),
      expect.stringMatching(/^agent_run_failed: .*"Invalid discriminator value/s),
    ]);
    desk.play([[says('Here I am.')]]);
    await visitor.say('still there?');
    expect(visitor.messages.at(-1)).toBe('assistant: Here I am.');
  });

  it('the guide prints the line that makes it fit, and names the versions that are tried here', async () => {
    const line = /^\s*remote\.use\(.*;$/m;
    const [guide, support, core] = await Promise.all([
      read('../../docs/streaming.md'),
      read('./support/copilot.visitor.ts'),
      read('../../node_modules/@copilotkit/core/package.json'),
    ]);
    expect(line.exec(support)).not.toBeNull();
    expect(line.exec(guide)?.[0].trim()).toBe(line.exec(support)?.[0].trim());
    const { version, dependencies } = JSON.parse(core) as { version: string; dependencies: Record<string, string> };
    expect(guide).toContain(`Tried with CopilotKit ${version}.`);
    expect(guide).toContain(`\`@ag-ui/client\` ${dependencies['@ag-ui/client']},`);
  });
});
