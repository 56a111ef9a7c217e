import {
  Decide,
  OperationRejectedError,
  RunAbortedError,
  type OperationDecision,
  type OperationListener,
  type RunExecutor,
} from 'nest-gatehouse';
import { call, says, type ExecutorLine } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { DecidingInspector, errorOf, KeptFacts, rejecting } from './support/deciding.js';
import { LetterTools } from './support/letter.tools.js';
import { gives } from './support/output.script.js';

let app: GovernedApp;
let facts: KeptFacts;
const bodies = () => app.module.get(LetterTools).ran;
const playedBy = (agent: RunExecutor, inspector: DecidingInspector) =>
  app.play([], { agent, inspectors: [inspector], listeners: [facts] });
const onePlusOne: ExecutorLine = async (run) => ({ value: await run.call('add', { x: 1, y: 1 }) });

beforeEach(async () => {
  facts = new KeptFacts();
  app = await boot({ providers: [LetterTools] });
});
afterEach(() => app.close());

describe('decisions', () => {
  it('[1] without an inspector a call runs, and leaves one completed operation', async () => {
    const { outcome, handle } = await app.play([onePlusOne]);
    expect(outcome).toMatchObject({ status: 'completed', output: 2 });
    expect(await app.statuses(handle.runId)).toEqual(['add completed']);
  });

  it('[2] an accepted call runs once and its ordinary result goes to the model', async () => {
    const inspector = new DecidingInspector();
    const { script, handle } = await app.play([[call('b')], [says('ok')]], { inspectors: [inspector] });
    expect(bodies()).toEqual(['b']);
    expect(await app.statuses(handle.runId)).toEqual(['b completed']);
    expect(script.results[0]).toMatchObject([{ toolName: 'b', outcome: 'success', content: 'B' }]);
    expect(inspector.tools()).toEqual(['b']);
  });

  const refuse = () => Decide.reject('R', 'G');
  const later = async () => Promise.resolve(refuse());
  const synchronous = (lines: readonly ExecutorLine[]) => lines;
  const asynchronous = (lines: readonly ExecutorLine[]): readonly ExecutorLine[] =>
    lines.map((line) => async (run) => (typeof line === 'function' ? line(run) : Promise.resolve(line)));
  it.each([
    ['[3] a rejected call does not run and the model goes on', refuse, synchronous],
    ['[4] an asynchronous inspector in a synchronous run decides the same', later, synchronous],
    ['[5] a synchronous inspector in an asynchronous run decides the same', refuse, asynchronous],
  ])('%s', async (_, answer, shape) => {
    const inspector = new DecidingInspector({ forbidden: answer });
    const { script, outcome } = await app.play(shape([[call('forbidden')], onePlusOne]), { inspectors: [inspector] });
    expect(outcome).toMatchObject({ status: 'completed', output: 2 });
    expect(bodies()).toEqual(['add 1 1']);
    expect(script.requests).toHaveLength(2);
    const [refused] = script.results[0] ?? [];
    expect(script.requests[1]?.filter(({ role }) => role === 'tool')).toMatchObject([
      { results: [{ toolName: 'forbidden', outcome: 'denied', content: refused?.content }] },
    ]);
    expect(JSON.parse(refused?.content ?? '')).toMatchObject({ message: 'R', guidance: 'G' });
  });

  it('[6] a refusal says why and what to do, never the arguments', async () => {
    const inspector = new DecidingInspector({ forbidden: refuse });
    const { script, handle } = await app.play([[call('forbidden', { card: 'canary-4111' })], [says('ok')]], {
      inspectors: [inspector],
    });
    const [refused] = script.results[0] ?? [];
    expect(JSON.parse(refused?.content ?? '')).toEqual({
      outcome: 'denied',
      message: 'R',
      guidance: 'G',
      operationId: refused?.operationId,
      runId: handle.runId,
      step: 1,
      executionStarted: false,
    });
    expect(refused?.content).not.toContain('canary');
    expect(refused?.content).not.toContain('Error');
  });

  it('[7] a refusal without guidance has none, not an empty one', async () => {
    const inspector = new DecidingInspector({ forbidden: () => Decide.reject('R') });
    const { script } = await app.play([[call('forbidden')], [says('ok')]], { inspectors: [inspector] });
    expect(JSON.parse(script.results[0]?.[0]?.content ?? '')).not.toHaveProperty('guidance');
  });

  it.each<[string, () => OperationDecision]>([
    ["[8] reject('')", () => Decide.reject('')],
    ["[9] reject('   ')", () => Decide.reject('   ')],
    ['[10] reject with a guidance that is no text', () => Decide.reject('R', 42 as never)],
    ["[11] abort('')", () => Decide.abort('')],
  ])('%s cannot be made', (_, make) => {
    expect(make).toThrow(TypeError);
  });
});

describe('decisions about direct calls', () => {
  it("[12] the caller's rejection is the very rejection of the record, about the very request", async () => {
    let caught: unknown;
    const inspector = rejecting('forbidden');
    const execute: RunExecutor['execute'] = async (run) => {
      await run.call('forbidden').catch((error: unknown) => (caught = error));
      return { value: 0 };
    };
    await playedBy({ execute }, inspector);
    const [fact] = facts.operations;
    if (!(caught instanceof OperationRejectedError)) throw new Error('Nothing was thrown.');
    expect(caught.rejection).toBe(fact?.rejection);
    expect(caught.rejection.request).toBe(fact?.request);
    expect(caught.rejection.request).toBe(inspector.asked[0]);
    expect(caught.rejection).toMatchObject({ reason: 'No forbidden.', guidance: 'Do without forbidden.' });
  });

  it('[13] a rejection that nobody catches is the failure of the run', async () => {
    const execute: RunExecutor['execute'] = async (run) => ({ value: await run.call('forbidden') });
    const { outcome, handle } = await playedBy({ execute }, rejecting('forbidden'));
    expect(outcome.status).toBe('failed');
    expect(errorOf(outcome)).toBeInstanceOf(OperationRejectedError);
    expect(errorOf(outcome)).toMatchObject({ rejection: facts.operations[0]?.rejection });
    expect((await app.trail.terminals({ runId: handle.runId })).items).toMatchObject([{ status: 'failed' }]);
    expect(bodies()).toEqual([]);
  });

  it('[14] an executor that catches the rejection goes on with another call', async () => {
    const execute: RunExecutor['execute'] = async (run) => {
      await run.call('forbidden').catch(() => undefined);
      return { value: await run.call('add', { x: 1, y: 1 }) };
    };
    const { outcome, handle } = await playedBy({ execute }, rejecting('forbidden'));
    expect(outcome).toMatchObject({ status: 'completed', output: 2 });
    expect(await app.statuses(handle.runId)).toEqual(['forbidden rejected', 'add completed']);
  });

  it('[15] an executor that gives up after a rejection ends normally; nothing is tried again', async () => {
    const execute: RunExecutor['execute'] = (run) =>
      run.call('forbidden').then(
        () => ({ value: 'done' }),
        () => ({ value: 'no permitted solution' }),
      );
    const { outcome, handle } = await playedBy({ execute }, rejecting('forbidden'));
    expect(outcome).toMatchObject({ status: 'completed', output: 'no permitted solution' });
    expect(await app.statuses(handle.runId)).toEqual(['forbidden rejected']);
  });
});

describe('aborts', () => {
  const aborting = (name: string) => new DecidingInspector({ [name]: () => Decide.abort('stop') });

  it('[16] an abort ends the run: not started, aborted, with its reason', async () => {
    const { outcome, handle, script } = await app.play([[call('b')]], { inspectors: [aborting('b')] });
    expect(outcome).toMatchObject({ status: 'aborted', stage: 'operation_inspection' });
    expect(errorOf(outcome)).toBeInstanceOf(RunAbortedError);
    expect(errorOf(outcome)).toMatchObject({ subject: 'operation', reason: 'stop' });
    expect(bodies()).toEqual([]);
    expect(await app.statuses(handle.runId)).toEqual(['b aborted']);
    expect(script.requests).toHaveLength(1);
    expect((await app.trail.terminals({ runId: handle.runId })).items).toMatchObject([{ status: 'aborted' }]);
  });

  it('[17] an abort after an output that was valid: the output is not returned', async () => {
    const { outcome, handle } = await app.play([[gives(7), call('b')]], {
      output: { schema: z.number() },
      inspectors: [aborting('b')],
    });
    expect(outcome.status).toBe('aborted');
    expect(errorOf(outcome)).toMatchObject({ subject: 'operation', reason: 'stop' });
    expect(await app.statuses(handle.runId)).toEqual(['final_output skipped by b', 'b aborted']);
  });

  it('[18] an executor that answers after an abort is not heard', async () => {
    const execute: RunExecutor['execute'] = async (run) => {
      await run.call('b').catch(() => undefined);
      return { value: 'success after all' };
    };
    const { outcome } = await playedBy({ execute }, aborting('b'));
    expect(outcome.status).toBe('aborted');
    expect(errorOf(outcome)).toMatchObject({ name: 'RunAbortedError', reason: 'stop' });
  });

  it('[19] what the host throws when it is told of an abort goes out, caused by the abort', async () => {
    const thrown = new Error('H');
    const host: OperationListener = {
      runFinished: () => {
        throw thrown;
      },
    };
    const execute: RunExecutor['execute'] = async (run) => ({ value: await run.call('b') });
    const handle = app.runner.start({
      agent: { execute },
      input: 'go',
      inspectors: [aborting('b')],
      listeners: [host],
    });
    await expect(handle.outcome).rejects.toBe(thrown);
    expect(thrown.cause).toBeInstanceOf(RunAbortedError);
    expect((await app.trail.terminals({ runId: handle.runId })).items).toMatchObject([{ status: 'aborted' }]);
  });
});
