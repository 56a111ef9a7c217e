import {
  Decide,
  HookAbortError,
  Listener,
  RunCancelledError,
  type OperationFinished,
  type ToolHook,
} from 'nest-gatehouse';
import { captureLog } from 'nest-gatehouse/testing';
import { ErrandApp } from './support/errand.app.js';
import { inTurn, RecordingHook } from './support/hook.fixtures.js';

let desk: ErrandApp;
let log: ReturnType<typeof captureLog>;
beforeEach(async () => {
  desk = await ErrandApp.start();
  log = captureLog();
});
afterEach(async () => {
  log.release();
  await desk.app.close();
});
const ran = () => desk.errands.ran;

/** What the compound flows promise holds for every tool call of a run. */
describe('a hook before a tool call of a run', () => {
  it('[279] is told of a success before and after', async () => {
    const hook = new RecordingHook();
    const { content } = await desk.fetch(hook);
    expect(content).toBe('fetched 1');
    expect(hook.phases).toEqual(['before', 'after']);
    expect(hook.calls[1]).toMatchObject({ toolName: 'fetch', args: { n: 1 }, result: 'fetched 1' });
  });

  it('[281] skips: the method never runs, the stub is the result, told after with duration 0', async () => {
    const hook = new RecordingHook({ before: () => Decide.skip('cached', { skipped: true }) });
    const { statuses, content } = await desk.fetch(hook);
    expect(statuses).toEqual(['fetch stubbed']);
    expect(content).toBe('{"skipped":true}');
    expect(ran()).toEqual([]);
    expect(hook.phases).toEqual(['before', 'after']);
    expect(hook.calls[1]).toMatchObject({ result: { skipped: true }, durationMs: 0 });
  });

  it('[283] skips, and a redirect after the stub is ignored', async () => {
    const hook = new RecordingHook({
      before: () => Decide.skip('cached'),
      after: () => Decide.redirect({ args: { n: 2 } }),
    });
    expect((await desk.fetch(hook)).statuses).toEqual(['fetch stubbed']);
    expect(ran()).toEqual([]);
  });

  it('[284] [285] redirects the arguments: method and later hooks get exactly those', async () => {
    const hook = new RecordingHook({
      before: inTurn(
        () => Decide.redirect({ args: { n: 2 } }),
        () => undefined,
      ),
    });
    const { statuses, content } = await desk.fetch(hook);
    expect(statuses).toEqual(['fetch redirected', 'fetch completed']);
    expect(content).toBe('fetched 2');
    expect(ran()).toEqual(['fetch 2']);
    expect(hook.calls.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 2 }, { n: 2 }]);
  });

  it('[286] redirects to another tool: that one runs, the first does not', async () => {
    const hook = new RecordingHook({
      before: ({ toolName }) => (toolName === 'fetch' ? Decide.redirect({ tool: 'bring' }) : undefined),
    });
    const { statuses, content } = await desk.fetch(hook);
    expect(statuses).toEqual(['fetch redirected', 'bring completed']);
    expect(content).toBe('brought 1');
    expect(ran()).toEqual(['bring 1']);
  });

  it('[287] redirects to a tool nobody knows: a failure that says so, and nothing runs', async () => {
    const { statuses, content } = await desk.fetch({ beforeTool: () => Decide.redirect({ tool: 'nowhere' }) });
    expect(statuses).toEqual(['fetch redirected', 'nowhere failed']);
    expect(content).toMatch(
      /^Tool 'nowhere' does not exist\. Offered: .*bring.* Nothing ran \(operation [0-9a-f-]+\)\.$/,
    );
    expect(ran()).toEqual([]);
  });

  it('[288] aborts: the run ends with HookAbortError, nothing runs, onError is not asked', async () => {
    const hook = new RecordingHook({ before: () => Decide.abort('closed') });
    const { outcome, statuses } = await desk.fetch(hook);
    expect(outcome).toMatchObject({ status: 'aborted', error: new HookAbortError('closed', 'RecordingHook') });
    expect(statuses).toEqual(['fetch aborted']);
    expect(hook.phases).toEqual(['before']);
    expect(ran()).toEqual([]);
  });

  it('[260] decides first: what later hooks decided is kept with the operation', async () => {
    @Listener()
    class Kept {
      readonly facts: OperationFinished[] = [];
      operationFinished(fact: OperationFinished) {
        this.facts.push(fact);
      }
    }
    const kept = new Kept();
    const hooks: ToolHook[] = [
      new RecordingHook({ before: () => Decide.skip('cached') }),
      new RecordingHook({ before: () => Decide.redirect({ tool: 'bring' }) }),
    ];
    await desk.app.play([[{ toolName: 'fetch', args: { n: 1 } }], ['done']], { hooks, listeners: [kept] });
    expect(kept.facts.map(({ status, shadowed }) => [status, shadowed])).toEqual([
      ['stubbed', [{ hook: 'RecordingHook', decision: 'redirect' }]],
    ]);
  });

  it('[271] is cancelled: the run is cancelled, and the method does not run', async () => {
    const { outcome, statuses } = await desk.fetch({
      beforeTool: () => Promise.reject(new RunCancelledError('requested', 'enough')),
    });
    expect(outcome).toMatchObject({ status: 'cancelled', error: { reason: 'enough' } });
    expect(statuses).toEqual(['fetch interrupted']);
    expect(ran()).toEqual([]);
  });
});

describe('a hook on a failure in a run', () => {
  const kaboom = new Error('kaboom');
  const failingOn = (...numbers: number[]) => {
    desk.errands.during = (n) => {
      if (numbers.includes(n)) throw kaboom;
    };
  };
  const second = () => Decide.redirect({ args: { n: 2 } });

  it('[280] [292] is told the very exception; where it continues the call has failed', async () => {
    failingOn(1);
    const hook = new RecordingHook({ error: () => Decide.continue() });
    const { statuses, script } = await desk.fetch(hook);
    expect(hook.phases).toEqual(['before', 'error']);
    expect(hook.calls[1]?.error).toBe(kaboom);
    expect(script.results[0]?.[0]?.error).toBe(kaboom);
    expect(statuses).toEqual(['fetch failed']);
  });

  it('[275] skips: that means nothing, the call has failed', async () => {
    failingOn(1);
    const { statuses } = await desk.fetch({ onError: () => Decide.skip('covered', 'stub') });
    expect(statuses).toEqual(['fetch failed']);
  });

  it('[276] aborts: the run ends with HookAbortError', async () => {
    failingOn(1);
    const { outcome } = await desk.fetch(new RecordingHook({ error: () => Decide.abort('enough') }));
    expect(outcome).toMatchObject({ status: 'aborted', error: { reason: 'enough', sourceHook: 'RecordingHook' } });
  });

  it('[289] is not asked about a HookAbortError that the method throws: the run ends', async () => {
    desk.errands.during = () => {
      throw new HookAbortError('stop', 'Inner');
    };
    const hook = new RecordingHook({ error: second });
    const { outcome, statuses } = await desk.fetch(hook);
    expect(outcome).toMatchObject({ status: 'aborted', error: { reason: 'stop', sourceHook: 'Inner' } });
    expect(statuses).toEqual(['fetch aborted']);
    expect(hook.phases).toEqual(['before']);
  });

  it('[290] redirects: the method runs twice, the second result counts and is told once', async () => {
    failingOn(1);
    const hook = new RecordingHook({ error: second });
    const { statuses, content } = await desk.fetch(hook);
    expect(ran()).toEqual(['fetch 1', 'fetch 2']);
    expect(statuses).toEqual(['fetch failed', 'fetch completed']);
    expect(content).toBe('fetched 2');
    expect(hook.phases).toEqual(['before', 'error', 'before', 'after']);
  });

  it('[291] redirects, and the second one fails too: no third', async () => {
    failingOn(1, 2);
    const { statuses } = await desk.fetch(new RecordingHook({ error: second }));
    expect(ran()).toEqual(['fetch 1', 'fetch 2']);
    expect(statuses).toEqual(['fetch failed', 'fetch failed']);
  });
});

describe('a hook after a success in a run', () => {
  const again = ({ args }: { readonly args: unknown }) =>
    Decide.redirect({ args: { n: (args as { n: number }).n + 1 } });

  it('[293] [294] redirects: one more execution, told again, and not a third', async () => {
    const hook = new RecordingHook({ after: again });
    const { statuses, content } = await desk.fetch(hook);
    expect(ran()).toEqual(['fetch 1', 'fetch 2']);
    expect(statuses).toEqual(['fetch completed', 'fetch completed']);
    expect(content).toBe('fetched 2');
    expect(hook.phases).toEqual(['before', 'after', 'before', 'after']);
    expect(log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^A hook redirected fetch \([0-9a-f-]+\) once too often; the result stands\.$/),
    ]);
  });

  it('[295] redirects, and that one fails: onError is asked, not obeyed', async () => {
    desk.errands.during = (n) => {
      if (n === 2) throw new Error('kaboom');
    };
    const hook = new RecordingHook({ after: again, error: again });
    const { statuses } = await desk.fetch(hook);
    expect(ran()).toEqual(['fetch 1', 'fetch 2']);
    expect(statuses).toEqual(['fetch completed', 'fetch failed']);
    expect(hook.phases).toEqual(['before', 'after', 'before', 'error']);
  });

  it('[297] aborts: the run ends, and what was done stays done', async () => {
    const { outcome, statuses } = await desk.fetch(new RecordingHook({ after: () => Decide.abort('too expensive') }));
    expect(outcome).toMatchObject({ status: 'aborted', error: { reason: 'too expensive' } });
    expect(statuses).toEqual(['fetch completed']);
    expect(ran()).toEqual(['fetch 1']);
  });
});
