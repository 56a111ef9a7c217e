import { Decide, RunCancelledError, RunSuspended, runSubtask, type FlowAgent } from 'nest-gatehouse';
import { inTurn, RecordingHook, thrownBy } from './support/hook.fixtures.js';

/** An agent with one answer for each run, and the prompts it was given. */
const agentOf = (...answers: (() => string)[]) => {
  const given: string[] = [];
  const next = inTurn(...answers);
  const agent: FlowAgent<string> = {
    name: 'analyst',
    run: (prompt) => {
      given.push(prompt);
      return next();
    },
  };
  return { agent, given };
};
const throws = (error: Error) => (): never => {
  throw error;
};
const fails = (message: string) => throws(new Error(message));
const state = {};

describe('runSubtask', () => {
  it('succeeds with what the agent says', async () => {
    const { agent, given } = agentOf(() => 'fine');
    const hook = new RecordingHook();
    expect(await runSubtask(agent, 'sum up', { hooks: [hook], state })).toEqual({
      success: true,
      output: 'fine',
      attempts: 1,
    });
    expect(given).toEqual(['sum up']);
    expect(hook.calls[0]).toEqual({ toolName: 'meta:analyst', args: { prompt: 'sum up' }, state });
  });

  it('[312] a skip is a success with the stub as its output', async () => {
    const { agent, given } = agentOf(() => 'fine');
    const hook = new RecordingHook({ before: () => Decide.skip('cached', 'from the cache') });
    expect(await runSubtask(agent, 'sum up', { hooks: [hook], state })).toEqual({
      success: true,
      output: 'from the cache',
      attempts: 0,
    });
    expect(given).toEqual([]);
    expect(hook.phases).toEqual(['before', 'after']);
  });

  it('[313] an abort before is a failure that says why', async () => {
    const { agent, given } = agentOf(() => 'fine');
    const hook = new RecordingHook({ before: () => Decide.abort('closed') });
    expect(await runSubtask(agent, 'sum up', { hooks: [hook], state })).toEqual({
      success: false,
      error: 'aborted: closed',
      attempts: 0,
    });
    expect(given).toEqual([]);
  });

  it('[314] an abort after is a failure, although the agent succeeded', async () => {
    const { agent } = agentOf(() => 'fine');
    const hook = new RecordingHook({ after: () => Decide.abort('off topic') });
    expect(await runSubtask(agent, 'sum up', { hooks: [hook], state })).toEqual({
      success: false,
      error: 'aborted: off topic',
      attempts: 1,
    });
  });

  it('[315] a failure that onError redirects is tried once more, with that prompt', async () => {
    const { agent, given } = agentOf(fails('too long'), () => 'fine');
    const hook = new RecordingHook({ error: () => Decide.redirect({ args: { prompt: 'sum up briefly' } }) });
    expect(await runSubtask(agent, 'sum up', { hooks: [hook], state })).toEqual({
      success: true,
      output: 'fine',
      attempts: 2,
    });
    expect(given).toEqual(['sum up', 'sum up briefly']);
    expect(hook.phases).toEqual(['before', 'error', 'after']);
  });

  it('[316] where that fails too the first error is told', async () => {
    const { agent } = agentOf(fails('first'), fails('second'));
    const hook = new RecordingHook({ error: () => Decide.redirect({ args: { prompt: 'again' } }) });
    expect(await runSubtask(agent, 'sum up', { hooks: [hook], state })).toEqual({
      success: false,
      error: 'first',
      attempts: 2,
    });
  });

  it('[317] three subtasks, one of which fails: three are told before, two after, one on error, by its name', async () => {
    const hook = new RecordingHook();
    const { agent } = agentOf(
      () => 'a',
      fails('kaboom'),
      () => 'c',
    );
    const results = [];
    for (const name of ['a', 'b', 'c']) results.push(await runSubtask(agent, name, { name, hooks: [hook], state }));
    expect(results.map(({ success }) => success)).toEqual([true, false, true]);
    const told = hook.phases.map((phase, at) => `${phase} ${hook.calls[at]?.toolName}`);
    expect(told).toEqual([
      'before meta:a',
      'after meta:a',
      'before meta:b',
      'error meta:b',
      'before meta:c',
      'after meta:c',
    ]);
  });

  it.each([new RunSuspended(['a1']), new RunCancelledError('requested')])(
    'what is not about the task is thrown: %s',
    async (stop) => {
      const { agent } = agentOf(throws(stop));
      const hook = new RecordingHook({ error: () => Decide.redirect({ args: { prompt: 'again' } }) });
      expect(await thrownBy(runSubtask(agent, 'sum up', { hooks: [hook], state }))).toBe(stop);
      expect(hook.phases).toEqual(['before']);
    },
  );
});
