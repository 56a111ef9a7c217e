import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { InspectionFailedError } from '../contracts/errors/inspection-failed.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import type { HookCall } from '../contracts/roles.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { NamedHook } from './hook.answer.js';
import { HookChain } from './hook.chain.js';

const CALL: HookCall = Object.freeze({ toolName: 'lookup', args: { n: 1 }, state: {} });
const CONTINUE = { decision: { kind: 'continue' }, shadowed: [] };

class Log {
  readonly lines: string[] = [];
  log(message: string): void {
    this.lines.push(`INFO ${message}`);
  }
  warn(message: string): void {
    this.lines.push(`WARN ${message}`);
  }
}

const before = (name: string, decide: () => unknown, failClosed = false): NamedHook => ({
  name,
  role: { beforeTool: () => decide() as never },
  failClosed,
});

function chainOf(...hooks: NamedHook[]): { chain: HookChain; log: Log } {
  const log = new Log();
  return { chain: new HookChain(hooks, 1000, log), log };
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );

describe('a hook that is cancelled', () => {
  it('[271] a cancellation inside a hook propagates, also from one that fails open', async () => {
    const cancelled = new RunCancelledError('requested');
    const { chain, log } = chainOf(before('A', () => Promise.reject(cancelled)));
    expect(await thrownBy(chain.before(CALL))).toBe(cancelled);
    expect(log.lines).toEqual([]);
  });

  it('[271] so does the abort error of a signal that is aborted, and only then', async () => {
    const controller = new AbortController();
    const call = { ...CALL, call: { runId: 'r1', signal: controller.signal } as ToolCall };
    const abort = new DOMException('This operation was aborted', 'AbortError');
    const { chain } = chainOf(before('A', () => Promise.reject(abort)));
    expect(await chain.before(call)).toEqual(CONTINUE);
    controller.abort(new RunCancelledError('shutdown'));
    expect(await thrownBy(chain.before(call))).toBe(abort);
  });

  it('the cancellation of a child run is a crash like any other', async () => {
    const ofChild = new RunCancelledError('requested');
    ofChild.runId = 'child';
    const call = { ...CALL, call: { runId: 'r1', signal: new AbortController().signal } as ToolCall };
    const { chain, log } = chainOf(before('A', () => Promise.reject(ofChild)));
    expect(await chain.before(call)).toEqual(CONTINUE);
    expect(log.lines).toHaveLength(1);
  });
});

describe('a hook that does not decide', () => {
  it('[336] a crash of a hook that fails closed ends the run, and names it', async () => {
    const crash = new Error('oops');
    const error = await thrownBy(chainOf(before('Strict', () => Promise.reject(crash), true)).chain.before(CALL));
    expect(error).toBeInstanceOf(InspectionFailedError);
    expect(error).toMatchObject({ inspector: 'Strict', cause: crash });
    expect(String(error)).toContain('Strict threw Error in beforeTool.');
  });

  it('so do an answer that is no decision and one that never comes', async () => {
    const odd = await thrownBy(chainOf(before('Strict', () => 42, true)).chain.before(CALL));
    expect(odd).toBeInstanceOf(InspectionFailedError);
    const hanging = new HookChain([before('Strict', () => new Promise(() => undefined), true)], 5, new Log());
    expect(await thrownBy(hanging.before(CALL))).toBeInstanceOf(InspectionFailedError);
  });

  it('a hook that fails open and never answers continues, with a WARN', async () => {
    const log = new Log();
    const chain = new HookChain([before('Hanging', () => new Promise(() => undefined))], 5, log);
    expect(await chain.before(CALL)).toEqual(CONTINUE);
    expect(log.lines).toEqual([
      "WARN Hook Hanging.beforeTool failed: Error: no answer within 5 ms (tool 'lookup'). Read as Continue.",
    ]);
  });

  it('a HookAbortError that is thrown ends the run too, but not as an abort', async () => {
    const { chain } = chainOf(before('Strict', () => Promise.reject(new HookAbortError('stop')), true));
    expect(await thrownBy(chain.before(CALL))).toBeInstanceOf(InspectionFailedError);
  });
});
