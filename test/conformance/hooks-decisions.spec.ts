import { Decide, HookAbortError, HookRunner, type HookDecision } from 'nest-gatehouse';
import { captureLog } from 'nest-gatehouse/testing';

/** As a caller without types would. */
const untyped = Decide as unknown as Record<string, (...args: unknown[]) => HookDecision>;

describe('decisions of hooks', () => {
  it('[246] Continue is a kind and nothing else, takes no field, and cannot be changed', async () => {
    const decision = Decide.continue();
    expect(decision).toEqual({ kind: 'continue' });
    expect(Object.keys(decision)).toEqual(['kind']);
    expect(() => untyped['continue']?.({ stubResult: 1 })).toThrow(new TypeError('Decide.continue() takes nothing.'));
    expect(() => Object.assign(decision, { kind: 'abort' })).toThrow(TypeError);
    expect(() => Object.assign(decision, { extra: 1 })).toThrow(TypeError);
  });

  it('[246] a decision that somebody wrote by hand is none', async () => {
    const log = captureLog();
    const forged = { kind: 'continue', extra: 1 } as unknown as HookDecision;
    expect(await new HookRunner([{ beforeTool: () => forged }]).runBefore('t', {}, {})).toBe(Decide.continue());
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn Hook Object.beforeTool returned a object, which is no decision; make one with Decide (tool 't'). Read as Continue.",
    ]);
    log.release();
  });

  it('[247] Skip needs a reason; its stub is an empty text unless it is given', () => {
    for (const reason of [undefined, '', '   ', 42]) {
      expect(() => untyped['skip']?.(reason)).toThrow(new TypeError("A decision's reason must be a non-empty string."));
    }
    expect(Decide.skip('x')).toEqual({ kind: 'skip', reason: 'x', stubResult: '' });
    expect(Decide.skip('x', { cached: true })).toEqual({ kind: 'skip', reason: 'x', stubResult: { cached: true } });
    expect(() => Object.assign(Decide.skip('x'), { stubResult: 1 })).toThrow(TypeError);
  });

  it('[248] Redirect needs a tool or arguments; empty arguments are some', () => {
    const empty = new TypeError('Decide.redirect needs { tool, args } with at least one of them.');
    expect(() => Decide.redirect({})).toThrow(empty);
    expect(() => untyped['redirect']?.()).toThrow(empty);
    expect(() => untyped['redirect']?.({ tool: 'b', new_tool: 'c' })).toThrow(TypeError);
    expect(Decide.redirect({ args: { x: 1 } })).toEqual({
      kind: 'redirect',
      tool: undefined,
      args: { x: 1 },
      reason: '',
    });
    expect(Decide.redirect({ tool: 'b' }, 'renamed')).toEqual({
      kind: 'redirect',
      tool: 'b',
      args: undefined,
      reason: 'renamed',
    });
    expect(Decide.redirect({ args: {} })).toMatchObject({ tool: undefined, args: {} });
  });

  it('[249] Abort needs a reason', () => {
    for (const reason of [undefined, '', ' \n', {}]) {
      expect(() => untyped['abort']?.(reason)).toThrow(
        new TypeError("A decision's reason must be a non-empty string."),
      );
    }
    expect(Decide.abort('loop')).toEqual({ kind: 'abort', reason: 'loop' });
  });

  it('[250] HookAbortError says its reason, and whose it was', () => {
    const error = new HookAbortError('r', 'H');
    expect(error).toMatchObject({ name: 'HookAbortError', message: 'r', reason: 'r', sourceHook: 'H' });
    expect(new HookAbortError('r').sourceHook).toBeUndefined();
  });
});
