import {
  DeferredCallNotFoundError,
  ExternalResultConflictError,
  InvalidQueryError,
  RunNotFoundError,
  RunNotResumableError,
  RunStillWaitingError,
  RunSuspended,
  type ExternalResult,
  type RunOutcome,
} from 'nest-gatehouse';
import { RunReader } from '../../libs/gatehouse/src/contracts/ports/run.reader.js';
import { ANN, BOB, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';
import { ErrandAgent, Errands, proposing } from './support/errands.js';

describe.each(STORES)('calls that somebody else answers, %s', (store) => {
  let app: GovernedApp;
  beforeAll(async () => {
    app = await bootOn(store, { providers: [Errands, ErrandAgent] });
  });
  afterAll(() => app.close());
  const errands = () => app.module.get(Errands);
  beforeEach(() => {
    errands().ran.length = 0;
    errands().before = undefined;
    app.records.events.length = 0;
  });

  const play = (...tools: readonly string[]) => app.play([], { agent: 'errands', state: proposing(...tools) });
  const give = (runId: string, results: readonly ExternalResult[], user = ANN) =>
    app.runner.resume({ runId, user, results });
  const deferredOf = (outcome: RunOutcome) => (outcome.status === 'suspended' ? outcome.deferred : []);

  it('leave the run suspended, the call listed as it may be shown, and nothing recorded', async () => {
    const { handle, outcome, events } = await play('print');
    const { runId } = handle;
    const [call] = deferredOf(outcome);
    expect(outcome).toEqual({ status: 'suspended', approvals: [], deferred: [call] });
    expect(call).toEqual({
      operationId: expect.any(String),
      runId,
      toolCallId: 'c0',
      toolName: 'print',
      args: { n: 0 },
      argumentsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      metadata: { queue: 'printers', token: '[redacted]' },
      requestedAt: expect.any(Date),
    });
    const { operationId, toolCallId, toolName, metadata } = call ?? {};
    expect(events.at(-1)).toMatchObject({
      type: 'run.suspended',
      approvals: [],
      deferred: [{ operationId, toolCallId, toolName, metadata }],
    });
    expect([await app.operations(runId), app.records.events]).toEqual([[], []]);
    const error = await handle.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunSuspended);
    expect(error).toMatchObject({
      approvalIds: [],
      deferredIds: [operationId],
      message: `The run waits for the result of a deferred call: ${operationId}.`,
    });
  });

  it('give the model their results in emission order, among what has settled; their methods run once', async () => {
    const { handle, outcome } = await play('lookup', 'print', 'lookup');
    const { runId } = handle;
    expect(deferredOf(outcome).map(({ toolCallId }) => toolCallId)).toEqual(['c1']);
    const told = await app.answered(runId, [{ toolCallId: 'c1', value: { pages: 3 } }]);
    expect(told.outcome).toMatchObject({
      status: 'completed',
      output: ['success found', 'success {"pages":3}', 'success found'],
    });
    expect(told.events.find(({ type }) => type === 'tool.result')).toMatchObject({
      toolCallId: 'c1',
      status: 'deferred',
      outcome: 'success',
      content: '{"pages":3}',
    });
    expect(errands().ran).toEqual(['lookup {"n":0}', 'print {"n":1}', 'lookup {"n":2}']);
    expect(app.records.lines()).toEqual(['lookup ok', 'lookup ok']);
    const [, record] = await app.operations(runId);
    expect(record).toMatchObject({
      toolName: 'print',
      toolCallId: 'c1',
      argumentsRepr: '{"n":1}',
      argumentsDigest: deferredOf(outcome)[0]?.argumentsDigest,
      status: 'deferred',
      outcome: 'success',
      executionStarted: false,
      decidedBy: 'external',
      reason: 'answered by ann',
      error: null,
    });
    const { items } = await app.trail.terminals({ runId });
    expect(items[0]?.usage.toolCalls).toBe(3);
  });

  it('that came to nothing are failed, in words for the model', async () => {
    const { handle, outcome } = await play('print');
    const [call] = deferredOf(outcome);
    const told = await app.answered(handle.runId, [{ operationId: call?.operationId ?? '', error: 'Out of paper.' }]);
    expect(told.outcome).toMatchObject({ status: 'completed', output: ['failed Out of paper.'] });
    expect(await app.operations(handle.runId)).toMatchObject([
      { status: 'failed', outcome: 'failed', decidedBy: 'external', error: 'ToolFailedError: Out of paper.' },
    ]);
    const { items } = await app.trail.terminals({ runId: handle.runId });
    expect(items[0]?.failedOperationIds).toEqual([call?.operationId]);
  });

  it('are redacted, and cut, like the result of any tool', async () => {
    const { handle } = await play('print', 'print');
    const told = await app.answered(handle.runId, [
      { toolCallId: 'c0', value: { printed: 3, password: 'hunter2' } },
      { toolCallId: 'c1', value: 'x'.repeat(1_000_000) },
    ]);
    const [first, second] = told.outcome.status === 'completed' ? (told.outcome.output as string[]) : [];
    expect(first).toBe('success {"printed":3,"password":"[redacted]"}');
    expect(second?.length).toBeLessThan(530_000);
    expect(second).toContain('[truncated: ');
    expect(JSON.stringify(told.events)).not.toContain('hunter2');
  });

  it('take one result: the same again is none, another is a conflict, and so is a second one in one request', async () => {
    const { handle } = await play('print', 'print');
    const { runId } = handle;
    const one = { toolCallId: 'c0', value: { a: 1, b: [undefined, 2] } };
    await expect(give(runId, [one, { toolCallId: 'c0', value: 'other' }]).started).rejects.toThrow(
      ExternalResultConflictError,
    );
    await expect(give(runId, [one]).started).rejects.toThrow(RunStillWaitingError);
    await expect(give(runId, [one]).started).rejects.toThrow(RunStillWaitingError);
    await expect(give(runId, [{ toolCallId: 'c0', value: 'other' }]).started).rejects.toThrow(
      ExternalResultConflictError,
    );
    await expect(give(runId, [{ toolCallId: 'c0', error: 'other' }]).started).rejects.toThrow(
      ExternalResultConflictError,
    );
    const told = await app.answered(runId, [one, { toolCallId: 'c1', value: 'two' }]);
    expect(told.outcome).toMatchObject({ output: ['success {"a":1,"b":[null,2]}', 'success two'] });
    await expect(give(runId, [one]).started).rejects.toThrow(RunNotResumableError);
  });

  it('are known by their ids, in their own run, with one value or one error', async () => {
    const { handle } = await play('print');
    const { runId } = handle;
    const other = deferredOf((await play('print')).outcome)[0]?.operationId ?? '';
    for (const id of [other, 'c0', 'no-id']) {
      await expect(give(runId, [{ operationId: id, value: 1 }]).started).rejects.toThrow(DeferredCallNotFoundError);
    }
    await expect(give(runId, [{ toolCallId: 'c9', value: 1 }]).started).rejects.toThrow(DeferredCallNotFoundError);
    const nonsense = [{ toolCallId: 'c0' }, { value: 1 }, { toolCallId: 'c0', value: 1, error: 'both' }];
    for (const given of [...nonsense, { toolCallId: 'c0', error: ' ' }, { toolCallId: 'c0', operationId: other }]) {
      await expect(give(runId, [given as ExternalResult]).started).rejects.toThrow(InvalidQueryError);
    }
    expect((await app.answered(runId, [{ toolCallId: 'c0', value: null }])).outcome).toMatchObject({
      output: ['success null'],
    });
  });

  it('are given by the principal of the run only; to everybody else there is no such run', async () => {
    const { handle } = await play('print');
    const { runId } = handle;
    const result = [{ toolCallId: 'c0', value: 1 }] as const;
    for (const user of [BOB, { id: 'ann', organizationId: 'other' }]) {
      await expect(give(runId, result, user).started).rejects.toThrow(RunNotFoundError);
    }
    await expect(give(runId, result, { id: ' ' }).started).rejects.toThrow('nobody is signed in');
    await expect(give(runId, result).outcome).resolves.toMatchObject({ status: 'completed' });
  });

  it('of a run that nobody is known to have started, by anybody of its organization', async () => {
    const request = { agent: 'errands', state: proposing('print'), user: undefined, organizationId: 'acme' };
    const { handle } = await app.play([], request);
    const result = [{ toolCallId: 'c0', value: 1 }] as const;
    for (const user of [{ id: 'eve', organizationId: 'other' }, { id: 'eve' }]) {
      await expect(give(handle.runId, result, user).started).rejects.toThrow(RunNotFoundError);
    }
    await expect(give(handle.runId, result, BOB).outcome).resolves.toMatchObject({ status: 'completed' });
  });

  it('answered while a sibling still runs, do not suspend the run at all', async () => {
    const reader = app.module.get(RunReader);
    errands().before = async (runId) => {
      while ((await reader.deferrals(runId)).length === 0) await new Promise((resolve) => setImmediate(resolve));
      const given = give(runId, [{ toolCallId: 'c0', value: 'at once' }]);
      await expect(given.started).rejects.toThrow('your answer counts, and the run already goes on');
    };
    const { handle, outcome, events } = await play('print', 'lookup');
    expect(outcome).toMatchObject({ status: 'completed', output: ['success at once', 'success found'] });
    expect(events.map(({ type }) => type)).not.toContain('run.suspended');
    expect(await app.statuses(handle.runId)).toEqual(['print deferred', 'lookup completed']);
  });
});
