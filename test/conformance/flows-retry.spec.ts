import { ConfigurationError, Decide, HookAbortError, runWithRetry } from 'nest-gatehouse';
import { captureLog } from 'nest-gatehouse/testing';
import { inTurn, RecordingHook, thrownBy } from './support/hook.fixtures.js';

const log = captureLog();
beforeEach(() => void (log.lines.length = 0));
afterAll(() => log.release());

/** An operation with one answer for each attempt, and the notes it was given. */
const operation = (...answers: (() => string)[]) => {
  const given: string[] = [];
  const next = inTurn(...answers);
  const run = async (note: string) => {
    given.push(note);
    return next();
  };
  return { run, given };
};
const fails = (message: string) => (): never => {
  throw new Error(message);
};
const BASE = { note: 'write to Ann', name: 'write' };

describe('runWithRetry', () => {
  it('[301] a first attempt that succeeds got the note unchanged, and is told before and after', async () => {
    const hook = new RecordingHook();
    const { run, given } = operation(() => 'done');
    expect(await runWithRetry(run, { ...BASE, hooks: [hook] })).toBe('done');
    expect(given).toEqual(['write to Ann']);
    expect(hook.phases).toEqual(['before', 'after']);
    expect(hook.calls[1]).toMatchObject({
      toolName: 'write',
      args: { note: 'write to Ann' },
      result: 'done',
      state: {},
    });
  });

  it('[302] after a failure the note holds the original one and the error', async () => {
    const { run, given } = operation(fails('no such address'), () => 'done');
    expect(await runWithRetry(run, BASE)).toBe('done');
    expect(given).toEqual([
      'write to Ann',
      'write to Ann\n\nThe attempt before this one failed: no such address\nAvoid what caused it.',
    ]);
  });

  it('[303] a custom enrich makes the second note', async () => {
    const { run, given } = operation(fails('no such address'), () => 'done');
    await runWithRetry(run, { ...BASE, enrich: (note, error) => `${note}; ${error}` });
    expect(given).toEqual(['write to Ann', 'write to Ann; no such address']);
  });

  it('[304] three failures are a failure that counts them; hooks are told before and after, not on error', async () => {
    const hook = new RecordingHook();
    const { run, given } = operation(fails('one'), fails('two'), fails('three'));
    const came = await runWithRetry(run, { ...BASE, maxAttempts: 3, hooks: [hook] });
    expect(came).toEqual({ success: false, error: 'three', attempts: 3 });
    expect(given).toHaveLength(3);
    expect(hook.phases).toEqual(['before', 'after']);
    expect(hook.calls[1]?.result).toBe(came);
  });

  it('[305] what cannot be retried is tried once', async () => {
    const { run, given } = operation(fails('forbidden'));
    const retryable = (error: unknown) => (error as Error).message !== 'forbidden';
    expect(await runWithRetry(run, { ...BASE, maxAttempts: 3, retryable })).toEqual({
      success: false,
      error: 'forbidden',
      attempts: 1,
    });
    expect(given).toHaveLength(1);
  });

  it.each([
    ['an object as its JSON', { cached: true }, '{"cached":true}'],
    ['a text as it is', 'from "the cache"', 'from "the cache"'],
  ])('[306] a skip returns %s, and nothing is tried', async (_, stub, text) => {
    const hook = new RecordingHook({ before: () => Decide.skip('cached', stub) });
    const { run, given } = operation(() => 'done');
    expect(await runWithRetry(run, { ...BASE, hooks: [hook] })).toBe(text);
    expect(given).toEqual([]);
    expect(hook.calls[1]).toMatchObject({ result: stub, durationMs: 0 });
  });

  it('[307] a redirected note is what the operation gets, and what its retries build on', async () => {
    const hook = new RecordingHook({ before: () => Decide.redirect({ args: { note: 'write to Bob' } }) });
    const { run, given } = operation(fails('full'), () => 'done');
    await runWithRetry(run, { ...BASE, hooks: [hook], enrich: (note, error) => `${note}; ${error}` });
    expect(given).toEqual(['write to Bob', 'write to Bob; full']);
  });

  it.each([
    ['without a note', Decide.redirect({ args: { other: 1 } })],
    ['to another tool', Decide.redirect({ tool: 'b', args: { note: 'write to Bob' } })],
  ])('[308] a redirect %s is ignored, with a WARN', async (_, decision) => {
    const { run, given } = operation(() => 'done');
    expect(await runWithRetry(run, { ...BASE, hooks: [{ beforeTool: () => decision }] })).toBe('done');
    expect(given).toEqual(['write to Ann']);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn A redirect of beforeTool for 'write' was ignored: runWithRetry follows one before the first attempt, to another note.",
    ]);
  });

  it('[309] an abort throws, and nothing is tried', async () => {
    const hook = new RecordingHook({ before: () => Decide.abort('closed') });
    const { run, given } = operation(() => 'done');
    const error = await thrownBy(runWithRetry(run, { ...BASE, hooks: [hook] }));
    expect(error).toEqual(new HookAbortError('closed', 'RecordingHook'));
    expect(given).toEqual([]);
  });

  it('[310] an abort inside the operation is never tried again', async () => {
    const stop = new HookAbortError('stop', 'Inner');
    const hook = new RecordingHook();
    const { run, given } = operation(() => {
      throw stop;
    });
    expect(await thrownBy(runWithRetry(run, { ...BASE, maxAttempts: 3, hooks: [hook] }))).toBe(stop);
    expect(given).toHaveLength(1);
    expect(hook.phases).toEqual(['before']);
  });

  it.each([0, -1, 1.5])('[311] %d attempts are a configuration error, before anything runs', async (maxAttempts) => {
    const hook = new RecordingHook();
    const { run, given } = operation(() => 'done');
    expect(await thrownBy(runWithRetry(run, { ...BASE, maxAttempts, hooks: [hook] }))).toEqual(
      new ConfigurationError(`runWithRetry 'write': maxAttempts is ${maxAttempts}; write a whole number, 1 or more.`),
    );
    expect([given, hook.phases]).toEqual([[], []]);
  });
});
