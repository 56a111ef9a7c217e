import { Decide } from '../contracts/decisions/decide.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import type { HookCall, ToolHook } from '../contracts/roles.js';
import type { NamedHook } from './hook.answer.js';
import { HookChain } from './hook.chain.js';

const CALL: HookCall = Object.freeze({ toolName: 'lookup', args: { n: 1 }, state: { a: 1 } });
const AFTER = { ...CALL, result: 'found', durationMs: 42.5 };

class Log {
  readonly lines: string[] = [];
  log(message: string): void {
    this.lines.push(`INFO ${message}`);
  }
  warn(message: string): void {
    this.lines.push(`WARN ${message}`);
  }
}

const hook = (name: string, role: ToolHook): NamedHook => ({ name, role, failClosed: false });
const before = (name: string, decide: () => unknown): NamedHook => hook(name, { beforeTool: () => decide() as never });
const after = (name: string, decide: () => unknown): NamedHook => hook(name, { afterTool: () => decide() as never });

function chainOf(...hooks: NamedHook[]): { chain: HookChain; log: Log } {
  const log = new Log();
  return { chain: new HookChain(hooks, 1000, log), log };
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );

const CONTINUE = { decision: { kind: 'continue' }, shadowed: [] };

describe('HookChain', () => {
  it('[251] without hooks all three phases continue', async () => {
    const { chain, log } = chainOf();
    expect(chain.hasBefore).toBe(false);
    expect(await chain.before(CALL)).toEqual(CONTINUE);
    expect(await chain.after(AFTER)).toEqual(CONTINUE);
    expect(await chain.error({ ...CALL, error: new Error('x') })).toEqual(CONTINUE);
    expect(log.lines).toEqual([]);
  });

  it('[252] a full hook is given tool, arguments, state; result and duration; the very exception', async () => {
    const seen: unknown[] = [];
    const full: ToolHook = {
      beforeTool: (call) => void seen.push(call),
      afterTool: (call) => void seen.push(call),
      onError: (call) => void seen.push(call),
    };
    const error = new Error('kaboom');
    const { chain } = chainOf(hook('Full', full));
    await chain.before(CALL);
    await chain.after(AFTER);
    await chain.error({ ...CALL, error });
    expect(seen).toEqual([CALL, AFTER, { ...CALL, error }]);
    expect((seen[2] as { error: unknown }).error).toBe(error);
  });

  it('[253] a hook with only beforeTool continues in the other phases', async () => {
    const { chain } = chainOf(before('B', () => Decide.skip('x')));
    expect(chain.hasBefore).toBe(true);
    expect(await chain.after(AFTER)).toEqual(CONTINUE);
    expect(await chain.error({ ...CALL, error: new Error('x') })).toEqual(CONTINUE);
  });

  it('[254] a hook that returns nothing was called, and continues', async () => {
    let calls = 0;
    const { chain } = chainOf(before('B', () => void (calls += 1)));
    expect(await chain.before(CALL)).toEqual(CONTINUE);
    expect(calls).toBe(1);
  });

  it('[255] a hook that throws continues with a WARN, and the next one still runs', async () => {
    const { chain, log } = chainOf(
      before('Broken', () => {
        throw new Error('oops');
      }),
      before('Next', () => Decide.skip('x')),
    );
    expect((await chain.before(CALL)).source).toBe('Next');
    expect(log.lines).toEqual(["WARN Hook Broken.beforeTool failed: Error: oops (tool 'lookup'). Read as Continue."]);
  });

  it('[256] a hook that returns a string continues with a WARN', async () => {
    const { chain, log } = chainOf(before('Odd', () => 'string'));
    expect(await chain.before(CALL)).toEqual(CONTINUE);
    expect(log.lines).toEqual([
      "WARN Hook Odd.beforeTool returned a string, which is no decision; make one with Decide (tool 'lookup'). Read as Continue.",
    ]);
  });

  it('[257] a HookAbortError that is thrown aborts nothing, and the WARN says what to do instead', async () => {
    const { chain, log } = chainOf(
      before('Trap', () => {
        throw new HookAbortError('stop');
      }),
    );
    expect(await chain.before(CALL)).toEqual(CONTINUE);
    expect(log.lines).toEqual([
      "WARN Hook Trap.beforeTool threw HookAbortError ('stop'), which aborts nothing: return Decide.abort(reason) instead (tool 'lookup'). Read as Continue.",
    ]);
  });

  it('[258] a decision that cannot be made continues with a WARN', async () => {
    const { chain, log } = chainOf(before('Invalid', () => Decide.redirect({})));
    expect(await chain.before(CALL)).toEqual(CONTINUE);
    expect(log.lines).toHaveLength(1);
  });

  it('[259] [Continue, Skip] is the skip, and names its hook', async () => {
    const { chain } = chainOf(
      before('A', () => Decide.continue()),
      before('B', () => Decide.skip('cached', { n: 1 })),
    );
    expect(await chain.before(CALL)).toEqual({
      decision: { kind: 'skip', reason: 'cached', stubResult: { n: 1 } },
      source: 'B',
      shadowed: [],
    });
  });

  it('[260] [Skip, Redirect] is the skip; the redirect is shadowed and listed at INFO', async () => {
    const { chain, log } = chainOf(
      before('A', () => Decide.skip('x')),
      before('B', () => Decide.redirect({ tool: 'other' })),
    );
    const verdict = await chain.before(CALL);
    expect(verdict.decision.kind).toBe('skip');
    expect(verdict.shadowed).toEqual([{ hook: 'B', decision: 'redirect' }]);
    expect(log.lines).toEqual(["INFO Decisions of beforeTool for tool 'lookup' shadowed by A: B (redirect)."]);
  });

  it('[261] of two redirects the first counts', async () => {
    const { chain } = chainOf(
      before('A', () => Decide.redirect({ tool: 'a' })),
      before('B', () => Decide.redirect({ tool: 'b' })),
    );
    expect((await chain.before(CALL)).decision).toEqual({ kind: 'redirect', tool: 'a', args: undefined, reason: '' });
  });

  it.each([
    ['[262] [Continue, Abort]', () => Decide.continue()],
    ['[263] [Skip, Abort]', () => Decide.skip('x')],
  ])('%s aborts, with the class of the second as its source', async (_, first) => {
    const { chain } = chainOf(
      before('A', first),
      before('B', () => Decide.abort('stop')),
    );
    const error = await thrownBy(chain.before(CALL));
    expect(error).toBeInstanceOf(HookAbortError);
    expect(error).toMatchObject({ reason: 'stop', sourceHook: 'B', message: 'stop' });
  });

  it('[264] after an abort no hook is called; [265] after a skip observers are', async () => {
    const called: string[] = [];
    const observer = before('X', () => void called.push('X'));
    await thrownBy(
      chainOf(
        before('A', () => Decide.abort('stop')),
        observer,
      ).chain.before(CALL),
    );
    expect(called).toEqual([]);
    await chainOf(
      before('A', () => Decide.skip('x')),
      observer,
    ).chain.before(CALL);
    expect(called).toEqual(['X']);
  });

  it('[266] three shadowed decisions are one INFO entry, in order', async () => {
    const { chain, log } = chainOf(
      before('A', () => Decide.skip('x')),
      before('B', () => Decide.skip('y')),
      before('C', () => Decide.redirect({ tool: 'c' })),
      before('D', () => Decide.skip('z')),
    );
    await chain.before(CALL);
    expect(log.lines).toEqual([
      "INFO Decisions of beforeTool for tool 'lookup' shadowed by A: B (skip), C (redirect), D (skip).",
    ]);
  });

  it('[267] without shadowing nothing is logged', async () => {
    const { chain, log } = chainOf(before('A', () => Decide.skip('x')));
    await chain.before(CALL);
    expect(log.lines).toEqual([]);
  });

  it('[268] after a redirect the next hook is given the original arguments', async () => {
    const seen: unknown[] = [];
    const { chain } = chainOf(
      before('A', () => Decide.redirect({ args: { n: 2 } })),
      hook('B', { beforeTool: (call) => void seen.push(call.args) }),
    );
    await chain.before(CALL);
    expect(seen).toEqual([{ n: 1 }]);
  });

  it('[269] a list changed after construction changes nothing', async () => {
    const list = [before('A', () => Decide.skip('x'))];
    const chain = new HookChain(list, 1000, new Log());
    list.length = 0;
    expect((await chain.before(CALL)).source).toBe('A');
  });

  it('[272] a skip after the tool continues, with a WARN that has the reason', async () => {
    const { chain, log } = chainOf(after('A', () => Decide.skip('too late')));
    expect(await chain.after(AFTER)).toEqual(CONTINUE);
    expect(log.lines).toEqual([
      "WARN Hook A.afterTool returned skip ('too late') for tool 'lookup', which has already run. Read as Continue.",
    ]);
  });

  it('[273] a redirect after the tool is returned', async () => {
    const { chain } = chainOf(after('A', () => Decide.redirect({ args: { retry_with: 'v2' } })));
    expect((await chain.after(AFTER)).decision).toMatchObject({ kind: 'redirect', args: { retry_with: 'v2' } });
  });

  it('[274] a meaningless skip after the tool hides no later redirect', async () => {
    const { chain } = chainOf(
      after('A', () => Decide.skip('x')),
      after('B', () => Decide.redirect({ args: {} })),
    );
    expect(await chain.after(AFTER)).toMatchObject({ decision: { kind: 'redirect' }, source: 'B', shadowed: [] });
  });

  it('[275] a skip on an error is returned as one; [276] an abort takes the place of the error', async () => {
    const error = new Error('kaboom');
    const skipping = chainOf(hook('A', { onError: () => Decide.skip('x') })).chain;
    expect((await skipping.error({ ...CALL, error })).decision.kind).toBe('skip');
    const aborting = chainOf(hook('A', { onError: () => Decide.abort('stop') })).chain;
    expect(await thrownBy(aborting.error({ ...CALL, error }))).toBeInstanceOf(HookAbortError);
  });

  it('[277] a hook starts after the one before has settled', async () => {
    const order: string[] = [];
    const slow = before('A', async () => {
      order.push('A starts');
      await new Promise((resolve) => setImmediate(resolve));
      order.push('A ends');
    });
    await chainOf(
      slow,
      before('B', () => void order.push('B starts')),
    ).chain.before(CALL);
    expect(order).toEqual(['A starts', 'A ends', 'B starts']);
  });
});
