import { ForbiddenException } from '@nestjs/common';
import {
  Decide,
  NobodyToAskError,
  TerminalOperationError,
  type LimitExceededError,
  type RunRequest,
  type TerminalRecord,
} from 'nest-gatehouse';
import { call, says, scriptedExecutor, type ExecutorLine } from 'nest-gatehouse/testing';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { DecidingInspector, errorOf, rejecting } from './support/deciding.js';
import { NestingTools } from './support/nesting.tools.js';

let app: GovernedApp;
let tools: NestingTools;
beforeEach(async () => {
  app = await boot({ providers: [NestingTools] });
  tools = app.module.get(NestingTools);
});
afterEach(() => app.close());

/** The tool runs this script as a child, and answers with its result. */
const nests = (lines: readonly ExecutorLine[], request: Partial<RunRequest> = {}) => {
  tools.nesting = (start) => start({ agent: scriptedExecutor(lines), ...request }).result();
};
const child = (at = 0) => {
  const handle = tools.children[at];
  if (handle === undefined) throw new Error('No child run was started.');
  return handle;
};
const terminal = async (runId: string): Promise<TerminalRecord | undefined> =>
  (await app.trail.terminals({ runId })).items[0] as TerminalRecord | undefined;
const outer = [[call('nest')], [says('done')]];

describe('what a child run comes to for its parent', () => {
  it('[55] a failure that nobody catches fails the operation; the model hears of it, and the record of the child stands', async () => {
    nests([
      async (run) => {
        await run.call('fail');
        return [says('never')];
      },
    ]);
    const { script, outcome, handle } = await app.play(outer);
    expect(script.results[0]?.[0]).toMatchObject({ status: 'failed', outcome: 'failed' });
    expect(outcome).toMatchObject({ status: 'completed', output: 'done' });
    const operation = (await app.operations(handle.runId))[0];
    expect(await terminal(child().runId)).toMatchObject({
      status: 'failed',
      error: 'Error: kaboom',
      parentRunId: handle.runId,
      parentOperationId: operation?.id,
    });
  });

  it('[56] a tool that catches the failure completes; the record of the child is unchanged', async () => {
    tools.nesting = (start) =>
      start({ agent: { execute: () => Promise.reject(new Error('kaboom')) } })
        .result()
        .catch(() => 'fallback');
    const { script } = await app.play(outer);
    expect(script.results[0]?.[0]).toMatchObject({ status: 'completed', content: 'fallback' });
    expect(await terminal(child().runId)).toMatchObject({ status: 'failed', error: 'Error: kaboom' });
  });

  it('[57] an aborted child is an ordinary failure of the operation, and cannot be resumed', async () => {
    const aborting = new DecidingInspector({ work: () => Decide.abort('stop') });
    nests([[call('work')]], { inspectors: [aborting] });
    const { script, outcome } = await app.play(outer);
    expect(script.results[0]?.[0]).toMatchObject({
      status: 'failed',
      error: { name: 'RunAbortedError', runId: child().runId },
    });
    expect(outcome.status).toBe('completed');
    const again = app.runner.resume({ runId: child().runId, user: { id: 'ann' } });
    await expect(again.started).rejects.toMatchObject({ name: 'RunNotResumableError' });
    await expect(again.outcome).rejects.toMatchObject({ name: 'RunNotResumableError' });
  });

  it('a child that was cancelled on its own is an ordinary failure of the operation', async () => {
    tools.nesting = async (start) => {
      const handle = start({ agent: scriptedExecutor([[call('patient')]]) });
      while (!tools.ran.includes('patient')) await new Promise((resolve) => setImmediate(resolve));
      await handle.cancel('not needed');
      return handle.result();
    };
    const { script, outcome } = await app.play(outer);
    expect(script.results[0]?.[0]).toMatchObject({ status: 'failed', error: { name: 'RunCancelledError' } });
    expect(outcome.status).toBe('completed');
  });

  it.each([
    ['a TerminalOperationError', new (class Fatal extends TerminalOperationError {})('gone'), 'executor'],
    ['a denial', new ForbiddenException(), 'denial'],
  ])('%s that leaves a child keeps its class, and ends the parent too', async (_, error, stage) => {
    nests([() => Promise.reject(error)]);
    const { outcome, handle } = await app.play(outer);
    expect(outcome).toMatchObject({ status: 'failed', stage });
    expect(errorOf(outcome)).toBe(error);
    expect(await app.statuses(handle.runId)).toEqual(['nest failed']);
  });

  it("what a child ended with, thrown on by the parent's own executor, is the parent's failure and not its abort", async () => {
    nests([[call('work')]], { inspectors: [new DecidingInspector({ work: () => Decide.abort('stop') })] });
    const { outcome } = await app.play([
      async (run) => {
        await run.call('nest');
        return [says('never')];
      },
    ]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'executor', error: { name: 'RunAbortedError' } });
  });
});

describe('what a child run inherits', () => {
  it('the principal and the organization', async () => {
    nests([[call('work')], [says('ok')]]);
    await app.play(outer);
    expect(tools.ran).toEqual(['nest', 'work for ann of acme']);
    expect(await terminal(child().runId)).toMatchObject({ principalId: 'ann', organizationId: 'acme' });
  });

  it("its parent's inspectors and hooks, before its own", async () => {
    const seen: string[] = [];
    const hook = (name: string) => ({
      beforeTool: ({ toolName }: { toolName: string }) => void seen.push(`${name} ${toolName}`),
    });
    const inspector = rejecting('work');
    nests([[call('work')], [says('ok')]], { hooks: [hook('own')] });
    await app.play(outer, { inspectors: [inspector], hooks: [hook('above')] });
    expect(inspector.tools()).toEqual(['nest', 'work']);
    expect(await app.statuses(child().runId)).toEqual(['work rejected']);
    expect(seen).toEqual(['above nest', 'above work', 'own work']);
    expect(tools.ran).toEqual(['nest']);
  });

  it('what it adds stays its own', async () => {
    const inspector = new DecidingInspector();
    nests([[call('work')], [says('ok')]], { inspectors: [inspector] });
    await app.play([[call('nest'), call('work')], [says('done')]], { limits: { parallelToolCalls: 1 } });
    expect(inspector.tools()).toEqual(['work']);
  });

  it("the gate, with nobody to ask: a model's call is denied, a program's own call throws", async () => {
    const thrown: unknown[] = [];
    nests([
      [call('wipe')],
      async (run) => {
        await run.call('wipe').catch((error: unknown) => thrown.push(error));
        return [says('ok')];
      },
    ]);
    const { outcome } = await app.play(outer);
    expect(outcome.status).toBe('completed');
    const operations = await app.operations(child().runId);
    expect(operations.map(({ status, decidedBy }) => [status, decidedBy])).toEqual([
      ['denied', 'approval'],
      ['denied', 'approval'],
    ]);
    expect(thrown[0]).toBeInstanceOf(NobodyToAskError);
    expect(tools.ran).toEqual(['nest']);
  });
});

describe('what bounds a child run', () => {
  it('runs are five deep at most; the sixth start is an ordinary failure', async () => {
    const refused: unknown[] = [];
    tools.nesting = (start) =>
      start({ agent: scriptedExecutor([[call('nest')], [says('ok')]]) })
        .result()
        .catch((error: unknown) => {
          refused.push(error);
          throw error;
        });
    const { outcome } = await app.play(outer);
    expect(tools.children).toHaveLength(6);
    expect(refused).toMatchObject([{ limit: 'depth', allowed: 5, runId: child(5).runId }]);
    expect(outcome.status).toBe('completed');
  });

  it('tool calls of the whole tree count against the limit above', async () => {
    nests([[call('work'), call('work')], [says('ok')]]);
    const limits = { toolCalls: 3, parallelToolCalls: 1 };
    const { outcome, handle } = await app.play([[call('nest'), call('work')]], { limits });
    expect(await app.statuses(child().runId)).toEqual(['work completed', 'work completed']);
    expect(await app.statuses(handle.runId)).toEqual(['nest completed', 'work skipped']);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { limit: 'toolCalls', allowed: 3 } });
  });

  it('a child stops where the limit above is reached, which fails only its operation', async () => {
    nests([[call('work'), call('work')], [says('ok')]]);
    const { script, outcome } = await app.play([[call('nest')], [says('done')]], { limits: { toolCalls: 2 } });
    expect(await app.statuses(child().runId)).toEqual(['work completed', 'work skipped']);
    expect(script.results[0]?.[0]).toMatchObject({ status: 'failed' });
    expect((script.results[0]?.[0]?.error as LimitExceededError).allowed).toBe(2);
    expect(outcome.status).toBe('completed');
  });

  it('steps of the whole tree count together', async () => {
    nests([[call('work')], [says('ok')]]);
    const { outcome } = await app.play(outer, { limits: { steps: 3 } });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { limit: 'steps', allowed: 3 } });
    expect(await terminal(child().runId)).toMatchObject({ status: 'completed' });
  });

  it('cancelling the parent cancels the child, whose record comes first', async () => {
    const ended: string[] = [];
    nests([[call('patient')]], { listeners: [{ runFinished: () => void ended.push('child') }] });
    const listeners = [{ runFinished: () => void ended.push('parent') }];
    const agent = scriptedExecutor(outer);
    const handle = app.runner.start({ agent, input: 'go', listeners });
    while (!tools.ran.includes('patient')) await new Promise((resolve) => setImmediate(resolve));
    await handle.cancel('enough');
    expect(await handle.outcome).toMatchObject({
      status: 'cancelled',
      error: { source: 'requested', reason: 'enough' },
    });
    expect(await child().outcome).toMatchObject({ status: 'cancelled', error: { source: 'parent' } });
    expect(await app.statuses(child().runId)).toEqual(['patient interrupted']);
    expect(ended).toEqual(['child', 'parent']);
  });
});
