import { Decide } from '../contracts/decisions/decide.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { InspectionFailedError } from '../contracts/errors/inspection-failed.error.js';
import type { ToolHook } from '../contracts/roles.js';
import { captureLog } from '../testing/captured.log.js';
import { Hook, hookOptions } from './hook.decorator.js';
import { HookRunner } from './hook.runner.js';

describe('HookRunner', () => {
  const log = captureLog();
  afterAll(() => log.release());

  it('[270] accepts a synchronous hook; [278] a partial one works', async () => {
    const runner = new HookRunner([{ beforeTool: () => Decide.skip('cached', 'stub') }]);
    expect(await runner.runBefore('lookup', { n: 1 }, {})).toEqual({
      kind: 'skip',
      reason: 'cached',
      stubResult: 'stub',
    });
    expect(await runner.runAfter('lookup', { n: 1 }, 'found', {}, 1)).toEqual({ kind: 'continue' });
  });

  it('hands over what it was given, in the order of the list', async () => {
    const seen: unknown[] = [];
    const error = new Error('kaboom');
    const state = { a: 1 };
    const hook: ToolHook = {
      beforeTool: (call) => void seen.push(call),
      afterTool: (call) => void seen.push(call),
      onError: (call) => void seen.push(call),
    };
    const runner = new HookRunner([hook]);
    await runner.runBefore('t', { n: 1 }, state);
    await runner.runAfter('t', { n: 1 }, 'r', state, 42.5);
    await runner.runError('t', { n: 1 }, error, state);
    expect(seen).toEqual([
      { toolName: 't', args: { n: 1 }, state },
      { toolName: 't', args: { n: 1 }, state, result: 'r', durationMs: 42.5 },
      { toolName: 't', args: { n: 1 }, state, error },
    ]);
  });

  it('an abort names the class of the hook', async () => {
    class Watchdog implements ToolHook {
      beforeTool() {
        return Decide.abort('loop');
      }
    }
    await expect(new HookRunner([new Watchdog()]).runBefore('t', {}, {})).rejects.toEqual(
      new HookAbortError('loop', 'Watchdog'),
    );
  });

  it('honours failClosed of the decorator, and logs the others to gatehouse.hooks', async () => {
    class Open implements ToolHook {
      beforeTool(): never {
        throw new Error('oops');
      }
    }
    @Hook({ failClosed: true })
    class Strict extends Open {}
    log.lines.length = 0;
    expect(await new HookRunner([new Open()]).runBefore('t', {}, {})).toEqual({ kind: 'continue' });
    expect(log.lines).toEqual([
      {
        level: 'warn',
        context: 'gatehouse.hooks',
        message: "Hook Open.beforeTool failed: Error: oops (tool 't'). Read as Continue.",
      },
    ]);
    await expect(new HookRunner([new Strict()]).runBefore('t', {}, {})).rejects.toBeInstanceOf(InspectionFailedError);
  });
});

describe('@Hook', () => {
  it('keeps its options, with their defaults', () => {
    @Hook()
    class Plain {}
    @Hook({ order: 5, failClosed: true })
    class Strict {}
    expect([Plain, Strict, Object].map(hookOptions)).toEqual([
      { order: 0, failClosed: false },
      { order: 5, failClosed: true },
      undefined,
    ]);
  });
});
