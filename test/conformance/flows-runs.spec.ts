import {
  Agent,
  AgentRunner,
  compoundTool,
  Decide,
  flowAgent,
  runSubtask,
  RunSuspended,
  runWithRetry,
  Tool,
  ToolCall,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { ANN } from '../support/governed/governed.app.js';
import { ErrandApp } from './support/errand.app.js';
import { notes } from './support/flow.fixtures.js';
import { RecordingHook, thrownBy } from './support/hook.fixtures.js';

/** Fetches what it is told by number; sends away what it is told to send; fails at anything else. */
@Agent({ name: 'runner' })
class Runner implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const last = run.messages.at(-1);
    const [verb, n] = (last?.role === 'user' ? last.text : '').split(' ');
    if (verb !== 'fetch' && verb !== 'send') throw new Error(`I cannot ${verb}.`);
    return { value: await run.call(verb, { n: Number(n) }) };
  }
}

class Delegating {
  constructor(private readonly runner: AgentRunner) {}

  @Tool({ description: 'Lets another agent do it', parameters: { type: 'object' } })
  async delegate(_: object, toolCall: ToolCall) {
    const agent = flowAgent(this.runner, 'runner', { user: toolCall.user, signal: toolCall.signal });
    const flow = compoundTool({ agent, execute: ({ agentOutput }) => ({ reported: agentOutput }) });
    return (await flow.run('fetch 7', {})).result;
  }
}

const delegating = {
  provide: Delegating,
  inject: [AgentRunner],
  useFactory: (runner: AgentRunner) => new Delegating(runner),
};
let desk: ErrandApp;
beforeEach(async () => void (desk = await ErrandApp.start([Runner, delegating])));
afterEach(() => desk.app.close());
const agent = () => flowAgent(desk.app.runner, 'runner', { user: ANN });

describe('flows around the agents of the application', () => {
  it('[279] a compound tool acts on what a run came to', async () => {
    const hook = new RecordingHook();
    const state = notes();
    const flow = compoundTool({
      agent: agent(),
      execute: ({ agentOutput }) => `got ${String(agentOutput)}`,
      hooks: [hook],
    });
    expect(await flow.run('fetch 1', state)).toEqual({ agentOutput: 'fetched 1', result: 'got fetched 1', state });
    expect(hook.calls[0]).toMatchObject({ toolName: 'runner', args: { agentOutput: 'fetched 1', prompt: 'fetch 1' } });
    expect(desk.errands.ran).toEqual(['fetch 1']);
  });

  it('[279] inside a tool the run is a child of the operation that asked', async () => {
    const { script, handle } = await desk.app.play([[call('delegate')], [says('done')]]);
    const [delegated] = script.results[0] ?? [];
    expect(delegated?.content).toBe('{"reported":"fetched 7"}');
    const { items } = await desk.app.trail.operations({ toolName: 'fetch' });
    const { items: ends } = await desk.app.trail.terminals({ runId: items[0]?.runId });
    expect(ends.map(({ parentRunId, agent: name }) => [parentRunId, name])).toEqual([[handle.runId, 'runner']]);
  });

  it('[302] runWithRetry runs the agent again with the error in its note', async () => {
    const enrich = (_note: string, error: string) => (error === 'I cannot carry.' ? 'fetch 2' : 'give up');
    const state = {};
    const came = await runWithRetry((note) => agent().run(note, state), { note: 'carry 2', name: 'errand', enrich });
    expect(came).toBe('fetched 2');
  });

  it('[315] runSubtask runs it once more with the prompt of a hook', async () => {
    const hook = new RecordingHook({ error: () => Decide.redirect({ args: { prompt: 'fetch 3' } }) });
    expect(await runSubtask(agent(), 'carry 3', { name: 'errand', hooks: [hook], state: {} })).toEqual({
      success: true,
      output: 'fetched 3',
      attempts: 2,
    });
    expect(hook.calls.map(({ toolName }) => toolName)).toEqual(['meta:errand', 'meta:errand', 'meta:errand']);
  });

  it('a run that needs a person suspends, and no flow makes a failure of that', async () => {
    const hook = new RecordingHook({ error: () => Decide.redirect({ args: { prompt: 'fetch 1' } }) });
    const error = await thrownBy(runSubtask(agent(), 'send 1', { hooks: [hook], state: {} }));
    expect(error).toBeInstanceOf(RunSuspended);
    expect(hook.phases).toEqual(['before']);
    expect(desk.errands.ran).toEqual([]);
  });
});
