import { compoundTool, Decide, HookAbortError, type FlowAgent } from 'nest-gatehouse';
import { captureLog } from 'nest-gatehouse/testing';
import { notes, SHOUTING, shoutingTool, type Notes } from './support/flow.fixtures.js';
import { inTurn, RecordingHook, thrownBy } from './support/hook.fixtures.js';

const log = captureLog();
beforeEach(() => void (log.lines.length = 0));
afterAll(() => log.release());

const fails = (message: string) => (): never => {
  throw new Error(message);
};
const ARGS = { agentOutput: 'HELLO', prompt: 'hello' };

describe('a compound tool and its hooks', () => {
  it('[279] success is told before and after', async () => {
    const hook = new RecordingHook();
    const { tool } = shoutingTool(() => 'sent', [hook]);
    const state = notes();
    expect(await tool.run('hello', state)).toEqual({ agentOutput: 'HELLO', result: 'sent', state });
    expect(hook.phases).toEqual(['before', 'after']);
    expect(hook.calls[1]).toMatchObject({ toolName: 'shouting', args: ARGS, result: 'sent' });
    expect(hook.calls[1]?.state).toBe(state);
    expect(state.results).toEqual(['sent']);
  });

  it('[280] a throw is told before and on error, not after, and thrown as it was', async () => {
    const hook = new RecordingHook();
    const kaboom = new Error('kaboom');
    const { tool } = shoutingTool(() => Promise.reject(kaboom), [hook]);
    const state = notes();
    expect(await thrownBy(tool.run('hello', state))).toBe(kaboom);
    expect(hook.phases).toEqual(['before', 'error']);
    expect(hook.calls[1]?.error).toBe(kaboom);
    expect(state.results).toEqual([]);
  });

  const STUB = { skipped: true };

  it('[281] a skip: the executor never runs, the stub is the result, and is told after with duration 0', async () => {
    const hook = new RecordingHook({ before: () => Decide.skip('cached', STUB) });
    const { tool, executed } = shoutingTool(() => 'sent', [hook]);
    expect((await tool.run('hello', notes())).result).toBe(STUB);
    expect(executed).toEqual([]);
    expect(hook.phases).toEqual(['before', 'after']);
    expect(hook.calls[1]).toMatchObject({ result: STUB, durationMs: 0 });
  });

  it('[282] a skip: the state is updated with the stub', async () => {
    const hook = new RecordingHook({ before: () => Decide.skip('cached', STUB) });
    const state = notes();
    await shoutingTool(() => 'sent', [hook]).tool.run('hello', state);
    expect(state.results).toEqual([STUB]);
  });

  it('[283] a redirect after a stub is ignored: nothing is executed', async () => {
    const hook = new RecordingHook({
      before: () => Decide.skip('cached', STUB),
      after: () => Decide.redirect({ args: { prompt: 'again' } }),
    });
    const { tool, executed } = shoutingTool(() => 'sent', [hook]);
    expect((await tool.run('hello', notes())).result).toBe(STUB);
    expect(executed).toEqual([]);
    expect(hook.phases).toEqual(['before', 'after']);
  });

  it('[284] redirected arguments take the place of all: executor and afterTool get exactly them', async () => {
    const hook = new RecordingHook({ before: () => Decide.redirect({ args: { injected: 'yes' } }) });
    const { tool, executed } = shoutingTool(() => 'sent', [hook]);
    await tool.run('hello', notes());
    expect(executed).toEqual([{ injected: 'yes' }]);
    expect(hook.calls[1]?.args).toEqual({ injected: 'yes' });
  });

  it('[285] redirected arguments are what the executor acts on', async () => {
    const hook = new RecordingHook({
      before: () => Decide.redirect({ args: { agentOutput: 'hi', prompt: 'hello' } }),
    });
    const tool = compoundTool({ agent: SHOUTING, execute: ({ agentOutput }) => `sent ${agentOutput}`, hooks: [hook] });
    expect(await tool.run('hello', {})).toEqual({ agentOutput: 'HELLO', result: 'sent hi', state: {} });
  });

  it('[288] an abort before: the executor never runs, onError is not asked', async () => {
    const hook = new RecordingHook({ before: () => Decide.abort('closed') });
    const { tool, executed } = shoutingTool(() => 'sent', [hook]);
    const error = await thrownBy(tool.run('hello', notes()));
    expect(error).toEqual(new HookAbortError('closed', 'RecordingHook'));
    expect(executed).toEqual([]);
    expect(hook.phases).toEqual(['before']);
  });

  it('[289] an executor that throws HookAbortError stops the flow; onError is not asked', async () => {
    const stop = new HookAbortError('stop', 'Inner');
    const hook = new RecordingHook({ error: () => Decide.redirect({ args: {} }) });
    const { tool, executed } = shoutingTool(() => Promise.reject(stop), [hook]);
    expect(await thrownBy(tool.run('hello', notes()))).toBe(stop);
    expect(hook.phases).toEqual(['before']);
    expect(executed).toHaveLength(1);
  });
});

describe('a compound tool that is executed again', () => {
  const again = () => Decide.redirect({ args: { agentOutput: 'second', prompt: 'hello' } });

  it('[290] onError redirects: the executor runs twice, the second result counts and is told once', async () => {
    const hook = new RecordingHook({ error: again });
    const { tool, executed } = shoutingTool(
      inTurn<unknown>(fails('kaboom'), () => 'sent'),
      [hook],
    );
    expect((await tool.run('hello', notes())).result).toBe('sent');
    expect(executed).toEqual([ARGS, { agentOutput: 'second', prompt: 'hello' }]);
    expect(hook.phases).toEqual(['before', 'error', 'after']);
  });

  it('[291] where the second one fails too its error is thrown, and onError was asked once', async () => {
    const hook = new RecordingHook({ error: again });
    const { tool, executed } = shoutingTool(inTurn(fails('first'), fails('second')), [hook]);
    expect(await thrownBy(tool.run('hello', notes()))).toEqual(new Error('second'));
    expect(executed).toHaveLength(2);
    expect(hook.phases).toEqual(['before', 'error']);
  });

  it('[292] onError continues: the error is thrown as it was', async () => {
    const kaboom = new Error('kaboom');
    const hook = new RecordingHook({ error: () => Decide.continue() });
    const { tool, executed } = shoutingTool(() => Promise.reject(kaboom), [hook]);
    expect(await thrownBy(tool.run('hello', notes()))).toBe(kaboom);
    expect(executed).toHaveLength(1);
  });

  it('[275] onError skips: the compound tool ignores that and throws the error', async () => {
    const hook = new RecordingHook({ error: () => Decide.skip('covered', 'stub') });
    expect(await thrownBy(shoutingTool(fails('kaboom'), [hook]).tool.run('hello', notes()))).toEqual(
      new Error('kaboom'),
    );
  });

  it('[276] onError aborts: HookAbortError takes the place of the error', async () => {
    const hook = new RecordingHook({ error: () => Decide.abort('enough') });
    const error = await thrownBy(shoutingTool(fails('kaboom'), [hook]).tool.run('hello', notes()));
    expect(error).toEqual(new HookAbortError('enough', 'RecordingHook'));
  });

  it('[293] afterTool redirects: exactly one more execution, told again; its result counts', async () => {
    const redirects = inTurn(again, () => undefined);
    const hook = new RecordingHook({ after: redirects });
    const { tool, executed } = shoutingTool(
      inTurn<unknown>(
        () => 'one',
        () => 'two',
      ),
      [hook],
    );
    const state = notes();
    expect((await tool.run('hello', state)).result).toBe('two');
    expect(executed).toHaveLength(2);
    expect(hook.calls.map(({ result }) => result)).toEqual([undefined, 'one', 'two']);
    expect(state.results).toEqual(['two']);
  });

  it('[294] afterTool redirects both times: still two executions, and a WARN', async () => {
    const hook = new RecordingHook({ after: again });
    const { tool, executed } = shoutingTool(
      inTurn<unknown>(
        () => 'one',
        () => 'two',
        () => 'three',
      ),
      [hook],
    );
    expect((await tool.run('hello', notes())).result).toBe('two');
    expect(executed).toHaveLength(2);
    expect(hook.phases).toEqual(['before', 'after', 'after']);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn A hook redirected 'shouting' once too often; what it came to stands.",
    ]);
  });

  it('[295] afterTool redirects and that execution fails: onError is asked, not obeyed, and the error thrown', async () => {
    const hook = new RecordingHook({ after: again, error: again });
    const { tool, executed } = shoutingTool(
      inTurn<unknown>(() => 'one', fails('kaboom')),
      [hook],
    );
    expect(await thrownBy(tool.run('hello', notes()))).toEqual(new Error('kaboom'));
    expect(executed).toHaveLength(2);
    expect(hook.phases).toEqual(['before', 'after', 'error']);
  });

  it('[297] an abort after a success throws, and what was done stays done', async () => {
    const hook = new RecordingHook({ after: () => Decide.abort('too expensive') });
    const { tool, executed } = shoutingTool(() => 'sent', [hook]);
    const state = notes();
    expect(await thrownBy(tool.run('hello', state))).toEqual(new HookAbortError('too expensive', 'RecordingHook'));
    expect(executed).toHaveLength(1);
    expect(state.results).toEqual([]);
  });
});

describe('what a compound tool passes on', () => {
  it("[298] its name is the agent's, or its own", async () => {
    const hook = new RecordingHook();
    expect(shoutingTool(() => 'sent').tool.name).toBe('shouting');
    const { tool } = shoutingTool(() => 'sent', [hook], { name: 'mail' });
    await tool.run('hello', notes());
    expect(tool.name).toBe('mail');
    expect(hook.calls.map(({ toolName }) => toolName)).toEqual(['mail', 'mail']);
  });

  it("[299] the prompt is in the state as the user's message before the agent runs", async () => {
    const seen: Notes['messages'][] = [];
    const agent: FlowAgent<string, Notes> = {
      name: 'reader',
      run: (_prompt, state) => {
        seen.push([...state.messages]);
        return 'read';
      },
    };
    const state = notes();
    state.messages.push({ role: 'assistant', text: 'Yes?' });
    await compoundTool({ agent, execute: () => 'done' }).run('hello', state);
    expect(seen).toEqual([
      [
        { role: 'assistant', text: 'Yes?' },
        { role: 'user', text: 'hello' },
      ],
    ]);
  });

  it('[300] hooks and executor see an object of agentOutput and prompt', async () => {
    const hook = new RecordingHook();
    const { tool, executed } = shoutingTool(() => 'sent', [hook]);
    await tool.run('hello', notes());
    expect(executed).toEqual([ARGS]);
    expect(hook.calls.map(({ args }) => args)).toEqual([ARGS, ARGS]);
  });
});
