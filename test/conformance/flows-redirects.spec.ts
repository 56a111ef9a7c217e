import {
  ApprovalRequired,
  compoundTool,
  Decide,
  Inspector,
  OperationRejectedError,
  ToolExecutor,
  UnknownToolError,
  type OperationRequest,
  type RunContext,
  type ToolCaller,
} from 'nest-gatehouse';
import { ANN } from '../support/governed/governed.app.js';
import { ErrandApp } from './support/errand.app.js';
import { notes, SHOUTING, shoutingTool } from './support/flow.fixtures.js';
import { inTurn, RecordingHook, thrownBy } from './support/hook.fixtures.js';

@Inspector()
class Watch {
  readonly seen: string[] = [];
  inspectOperation({ toolName, args }: OperationRequest) {
    const { n } = args as { n: number };
    this.seen.push(`${toolName} ${n}`);
    return n === 13 ? Decide.reject('Not 13.') : Decide.accept();
  }
}

let desk: ErrandApp;
beforeEach(async () => void (desk = await ErrandApp.start([Watch])));
afterEach(() => desk.app.close());
const asAnn = (): ToolCaller => {
  const executor = desk.app.module.get(ToolExecutor);
  return { call: (name, args) => executor.call(name, args, { user: ANN }) };
};
const seen = () => desk.app.module.get(Watch).seen;
const to = (tool: string, n = 1) => Decide.redirect({ tool, args: { n } });

describe('a compound tool that a hook redirects to another tool', () => {
  it('[286] runs that tool, not its own executor; hooks are told under its name', async () => {
    const hook = new RecordingHook({ before: () => to('bring', 2) });
    const { tool, executed } = shoutingTool(() => 'sent', [hook], { tools: asAnn() });
    const state = notes();
    expect((await tool.run('hello', state)).result).toBe('brought 2');
    expect(executed).toEqual([]);
    expect(desk.errands.ran).toEqual(['bring 2']);
    expect(seen()).toEqual(['bring 2']);
    expect(hook.calls[1]).toMatchObject({ toolName: 'bring', args: { n: 2 }, result: 'brought 2' });
    expect(state.results).toEqual(['brought 2']);
  });

  it('[286] inside a run: by the run context, as an operation of that run', async () => {
    const flow = (run: RunContext) =>
      compoundTool({
        agent: SHOUTING,
        execute: () => 'sent',
        hooks: [{ beforeTool: () => to('bring', 3) }],
        tools: run,
      });
    const agent = { execute: async (run: RunContext) => ({ value: (await flow(run).run('hello', {})).result }) };
    const handle = desk.app.runner.start({ agent, input: 'go', user: ANN });
    expect(await handle.result()).toBe('brought 3');
    expect(await desk.app.statuses(handle.runId)).toEqual(['bring completed']);
  });

  it('[287] to a tool nobody knows: a failure that says so, told on error, and nothing runs', async () => {
    const hook = new RecordingHook({ before: () => to('nowhere') });
    const { tool, executed } = shoutingTool(() => 'sent', [hook], { tools: asAnn() });
    const error = await thrownBy(tool.run('hello', notes()));
    expect(error).toBeInstanceOf(UnknownToolError);
    expect(error).toMatchObject({ toolName: 'nowhere' });
    expect(hook.calls[1]?.error).toBe(error);
    expect([executed, desk.errands.ran]).toEqual([[], []]);
  });

  it('[287] without anybody who could run other tools only its own name is known', async () => {
    const { tool, executed } = shoutingTool(() => 'sent', [{ beforeTool: () => to('bring') }]);
    expect(await thrownBy(tool.run('hello', notes()))).toEqual(new UnknownToolError('bring', ['shouting']));
    expect([executed, desk.errands.ran]).toEqual([[], []]);
  });

  it('[296] after a result: the other tool is inspected and runs, and its result counts', async () => {
    const hook = new RecordingHook({
      after: inTurn(
        () => to('bring', 2),
        () => undefined,
      ),
    });
    const { tool, executed } = shoutingTool(() => 'sent', [hook], { tools: asAnn() });
    expect((await tool.run('hello', notes())).result).toBe('brought 2');
    expect(executed).toHaveLength(1);
    expect(seen()).toEqual(['bring 2']);
    expect(hook.calls.map(({ toolName }) => toolName)).toEqual(['shouting', 'shouting', 'bring']);
  });

  it('[296] to what an inspector refuses: its refusal is the error, and nothing runs', async () => {
    const { tool } = shoutingTool(() => 'sent', [{ afterTool: () => to('bring', 13) }], { tools: asAnn() });
    expect(await thrownBy(tool.run('hello', notes()))).toBeInstanceOf(OperationRejectedError);
    expect(desk.errands.ran).toEqual([]);
  });

  it('[296] to a gated tool: a person is asked, nothing runs, and no hook can redirect that away', async () => {
    const hook = new RecordingHook({ after: () => to('send'), error: () => to('bring') });
    const { tool } = shoutingTool(() => 'sent', [hook], { tools: asAnn() });
    const error = await thrownBy(tool.run('hello', notes()));
    expect(error).toBeInstanceOf(ApprovalRequired);
    const { items } = await desk.app.approvals.list({ status: 'pending' });
    expect(items.map(({ toolName, args }) => [toolName, args])).toEqual([['send', { n: 1 }]]);
    expect(hook.phases).toEqual(['before', 'after']);
    expect(desk.errands.ran).toEqual([]);
  });
});

describe('a redirect in a run, after a result', () => {
  it('[296] to another tool: inspected again, run, and linked to the first', async () => {
    const hook = new RecordingHook({
      after: inTurn(
        () => to('bring', 2),
        () => undefined,
      ),
    });
    const { statuses, content, handle } = await desk.fetch(hook);
    expect(statuses).toEqual(['fetch completed', 'bring completed']);
    expect(content).toBe('brought 2');
    expect(seen()).toEqual(['fetch 1', 'bring 2']);
    const [first, second] = await desk.app.operations(handle.runId);
    expect(second?.redirectedFromOperationId).toBe(first?.id);
  });

  it('[296] to a tool call that an inspector refuses: rejected', async () => {
    const { statuses } = await desk.fetch(new RecordingHook({ after: () => to('bring', 13) }));
    expect(statuses).toEqual(['fetch completed', 'bring rejected']);
    expect(desk.errands.ran).toEqual(['fetch 1']);
  });
});
