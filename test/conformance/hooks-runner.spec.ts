import {
  Decide,
  HookAbortError,
  HookRunner,
  RunCancelledError,
  type HookDecision,
  type ToolHook,
} from 'nest-gatehouse';
import { captureLog } from 'nest-gatehouse/testing';
import { RecordingHook, thrownBy } from './support/hook.fixtures.js';

const log = captureLog();
const lines = () => log.lines.map(({ level, message }) => `${level} ${message}`);
beforeEach(() => void (log.lines.length = 0));
afterAll(() => log.release());

const CONTINUE = Decide.continue();
const ARGS = { n: 1 };

/** A hook of that class name with one answer before the tool. */
const before = (name: string, answer: () => unknown): ToolHook =>
  named(name, { beforeTool: answer as () => HookDecision });
const after = (name: string, answer: () => HookDecision): ToolHook => named(name, { afterTool: answer });
const named = (name: string, methods: ToolHook): ToolHook => {
  const type = { [name]: class {} }[name];
  if (type === undefined) throw new Error('no class');
  return Object.assign(new type(), methods);
};
const decidedBefore = (...hooks: ToolHook[]) => new HookRunner(hooks).runBefore('lookup', ARGS, {});
const decidedAfter = (...hooks: ToolHook[]) => new HookRunner(hooks).runAfter('lookup', ARGS, 'found', {}, 1);

describe('what a hook is given, and what it may leave out', () => {
  it('[251] without hooks all three phases are Continue', async () => {
    const runner = new HookRunner();
    expect(await runner.runBefore('lookup', ARGS, {})).toBe(CONTINUE);
    expect(await runner.runAfter('lookup', ARGS, 'found', {}, 1)).toBe(CONTINUE);
    expect(await runner.runError('lookup', ARGS, new Error('x'), {})).toBe(CONTINUE);
    expect(lines()).toEqual([]);
  });

  it('[252] a full hook is given the tool, its arguments and the state; the result and its duration; the very exception', async () => {
    const hook = new RecordingHook();
    const runner = new HookRunner([hook]);
    const state = { session: 's' };
    const error = new Error('kaboom');
    await runner.runBefore('lookup', ARGS, state);
    await runner.runAfter('lookup', ARGS, 'found', state, 42.5);
    await runner.runError('lookup', ARGS, error, state);
    const call = { toolName: 'lookup', args: ARGS, state };
    expect(hook.calls).toEqual([call, { ...call, result: 'found', durationMs: 42.5 }, { ...call, error }]);
    expect(hook.calls[2]?.error).toBe(error);
    expect(hook.calls[0]?.state).toBe(state);
  });

  it('[253] a hook with one method is Continue in the other phases', async () => {
    const runner = new HookRunner([{ beforeTool: () => Decide.skip('x') }]);
    expect(await runner.runAfter('lookup', ARGS, 'found', {}, 1)).toBe(CONTINUE);
    expect(await runner.runError('lookup', ARGS, new Error('x'), {})).toBe(CONTINUE);
  });

  it('[254] a hook that returns nothing was called, and is Continue', async () => {
    const hook = new RecordingHook();
    expect(await decidedBefore(hook)).toBe(CONTINUE);
    expect(hook.phases).toEqual(['before']);
  });

  it('[278] a class with all three methods is a full hook, one with fewer is not, and both work', async () => {
    class Partial {
      beforeTool() {
        return Decide.skip('x');
      }
    }
    type IsFull<T> = T extends Required<ToolHook> ? true : false;
    const full: IsFull<RecordingHook> = true;
    const partial: IsFull<Partial> = false;
    expect([full, partial]).toEqual([true, false]);
    expect((await decidedBefore(new RecordingHook(), new Partial())).kind).toBe('skip');
  });
});

describe('a hook that does not decide', () => {
  it('[255] a hook that throws is Continue with a WARN, and the next one still runs', async () => {
    const broken = before('Broken', () => {
      throw new Error('oops');
    });
    const next = new RecordingHook();
    expect(await decidedBefore(broken, next)).toBe(CONTINUE);
    expect(next.phases).toEqual(['before']);
    expect(lines()).toEqual(["warn Hook Broken.beforeTool failed: Error: oops (tool 'lookup'). Read as Continue."]);
  });

  it('[256] a hook that returns a text is Continue with a WARN', async () => {
    expect(await decidedBefore(before('Odd', () => 'string'))).toBe(CONTINUE);
    expect(lines()).toEqual([
      "warn Hook Odd.beforeTool returned a string, which is no decision; make one with Decide (tool 'lookup'). Read as Continue.",
    ]);
  });

  it('[257] a thrown HookAbortError aborts nothing, and the WARN says what to do instead', async () => {
    const trap = before('Trap', () => Promise.reject(new HookAbortError('stop')));
    expect(await decidedBefore(trap)).toBe(CONTINUE);
    expect(lines()).toEqual([
      "warn Hook Trap.beforeTool threw HookAbortError ('stop'), which aborts nothing: return Decide.abort(reason) instead (tool 'lookup'). Read as Continue.",
    ]);
  });

  it('[258] a redirect that cannot be made is Continue with a WARN', async () => {
    expect(await decidedBefore(before('Invalid', () => Decide.redirect({})))).toBe(CONTINUE);
    expect(lines()).toEqual([
      "warn Hook Invalid.beforeTool failed: TypeError: Decide.redirect needs { tool, args } with at least one of them. (tool 'lookup'). Read as Continue.",
    ]);
  });

  it('[270] a synchronous method decides, as an asynchronous one does', async () => {
    expect((await decidedBefore(before('Sync', () => Decide.skip('x')))).kind).toBe('skip');
    expect((await decidedBefore(before('Async', () => Promise.resolve(Decide.skip('x'))))).kind).toBe('skip');
    expect(lines()).toEqual([]);
  });

  it('[271] a cancellation inside a hook goes on, and is not Continue', async () => {
    const cancelled = new RunCancelledError('requested', 'enough');
    const next = new RecordingHook();
    const work = decidedBefore(
      before('Cancelled', () => Promise.reject(cancelled)),
      next,
    );
    expect(await thrownBy(work)).toBe(cancelled);
    expect(next.phases).toEqual([]);
    expect(lines()).toEqual([]);
  });
});

describe('several hooks', () => {
  const skip = (name: string) => before(name, () => Decide.skip(name, `stub of ${name}`));
  const redirect = (name: string, tool: string) => before(name, () => Decide.redirect({ tool }));
  const abort = (name: string) => before(name, () => Decide.abort('stop'));

  it('[259] [Continue, Skip] is the skip', async () => {
    expect(await decidedBefore(before('A', Decide.continue), skip('B'))).toEqual(Decide.skip('B', 'stub of B'));
  });

  it('[260] [Skip, Redirect] is the skip; one INFO entry names the second hook and its decision', async () => {
    expect(await decidedBefore(skip('A'), redirect('B', 'b'))).toEqual(Decide.skip('A', 'stub of A'));
    expect(lines()).toEqual(["log Decisions of beforeTool for tool 'lookup' shadowed by A: B (redirect)."]);
  });

  it('[261] of two redirects the first counts', async () => {
    expect(await decidedBefore(redirect('A', 'a'), redirect('B', 'b'))).toEqual(Decide.redirect({ tool: 'a' }));
  });

  it('[262] [Continue, Abort] throws HookAbortError with the class of the second', async () => {
    const error = await thrownBy(decidedBefore(before('A', Decide.continue), abort('B')));
    expect(error).toBeInstanceOf(HookAbortError);
    expect(error).toMatchObject({ reason: 'stop', sourceHook: 'B' });
  });

  it('[263] [Skip, Abort] throws: an abort is never shadowed', async () => {
    expect(await thrownBy(decidedBefore(skip('A'), abort('B')))).toMatchObject({ reason: 'stop', sourceHook: 'B' });
  });

  it('[264] after an abort no hook is called', async () => {
    const next = new RecordingHook();
    await thrownBy(decidedBefore(abort('A'), next));
    expect(next.phases).toEqual([]);
  });

  it('[265] after a skip an observer is still called', async () => {
    const observer = new RecordingHook();
    await decidedBefore(skip('A'), observer);
    expect(observer.phases).toEqual(['before']);
  });

  it('[266] three shadowed decisions are one INFO entry, in order', async () => {
    await decidedBefore(skip('A'), skip('B'), redirect('C', 'c'), skip('D'));
    expect(lines()).toEqual([
      "log Decisions of beforeTool for tool 'lookup' shadowed by A: B (skip), C (redirect), D (skip).",
    ]);
  });

  it('[267] where nothing is shadowed nothing is logged', async () => {
    await decidedBefore(skip('A'), new RecordingHook());
    expect(lines()).toEqual([]);
  });

  it('[268] after a redirect of the arguments the next hook is given the original ones', async () => {
    const next = new RecordingHook();
    await decidedBefore(
      before('A', () => Decide.redirect({ args: { n: 2 } })),
      next,
    );
    expect(next.calls[0]?.args).toBe(ARGS);
  });

  it('[269] a list that is changed later does not change the runner', async () => {
    const hooks = [skip('A')];
    const runner = new HookRunner(hooks);
    hooks.length = 0;
    expect((await runner.runBefore('lookup', ARGS, {})).kind).toBe('skip');
  });

  it('[277] a hook starts once the one before it has settled', async () => {
    const order: string[] = [];
    const slow = before('A', async () => {
      order.push('A starts');
      await new Promise((resolve) => setImmediate(resolve));
      order.push('A settles');
    });
    await decidedBefore(
      slow,
      before('B', () => void order.push('B starts')),
    );
    expect(order).toEqual(['A starts', 'A settles', 'B starts']);
  });
});

describe('after a tool', () => {
  it('[272] a skip is Continue, with a WARN that has its reason', async () => {
    expect(await decidedAfter(after('Late', () => Decide.skip('too late')))).toBe(CONTINUE);
    expect(lines()).toEqual([
      "warn Hook Late.afterTool returned skip ('too late') for tool 'lookup', which has already run. Read as Continue.",
    ]);
  });

  it('[273] a redirect is returned', async () => {
    const decision = Decide.redirect({ args: { retry_with: 'v2' } });
    expect(await decidedAfter(after('A', () => decision))).toBe(decision);
  });

  it('[274] a skip, which means nothing here, hides no later redirect', async () => {
    const decision = Decide.redirect({ args: { retry_with: 'v2' } });
    expect(
      await decidedAfter(
        after('A', () => Decide.skip('x')),
        after('B', () => decision),
      ),
    ).toBe(decision);
  });

  it('[275] a skip on an error is returned as one', async () => {
    const runner = new HookRunner([{ onError: () => Decide.skip('covered', 'stub') }]);
    expect(await runner.runError('lookup', ARGS, new Error('kaboom'), {})).toEqual(Decide.skip('covered', 'stub'));
  });

  it('[276] an abort on an error takes its place', async () => {
    const runner = new HookRunner([named('Guard', { onError: () => Decide.abort('enough') })]);
    const error = await thrownBy(runner.runError('lookup', ARGS, new Error('kaboom'), {}));
    expect(error).toBeInstanceOf(HookAbortError);
    expect(error).toMatchObject({ message: 'enough', sourceHook: 'Guard' });
  });
});
