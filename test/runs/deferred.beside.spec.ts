import { CallDeferred, RunNotResumableError, RunStillWaitingError, type ExternalResult } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';
import { RunReader } from '../../libs/gatehouse/src/contracts/ports/run.reader.js';
import { RunSweeper } from '../../libs/gatehouse/src/runs/run.sweeper.js';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';
import { ErrandAgent, Errands, proposing } from './support/errands.js';

const RESULT: readonly ExternalResult[] = [{ toolCallId: 'c0', value: 'printed' }];

describe.each(STORES)('a call that somebody else answers, %s', (store) => {
  let app: GovernedApp;
  beforeAll(async () => {
    app = await bootOn(store, { providers: [Errands, ErrandAgent] });
  });
  afterAll(() => app.close());
  const errands = () => app.module.get(Errands);
  beforeEach(() => {
    errands().ran.length = 0;
  });

  const play = (...tools: readonly string[]) => app.play([], { agent: 'errands', state: proposing(...tools) });
  const pending = async (runId: string) => (await app.approvals.list({ runId, status: 'pending' })).items[0]?.id ?? '';
  const statusOf = async (runId: string) => (await app.module.get(RunReader).run(runId))?.status;
  const ended = async (runId: string) => {
    while ((await statusOf(runId)) !== 'completed') await new Promise((resolve) => setImmediate(resolve));
  };

  describe('beside an approval', () => {
    it('is kept until the decision, which then goes on with both', async () => {
      const { handle, outcome } = await play('print', 'pay');
      const { runId } = handle;
      expect(outcome).toMatchObject({ approvals: [{ toolName: 'pay' }], deferred: [{ toolName: 'print' }] });
      const waits = await app.runner.resume({ runId, user: ANN, results: RESULT }).started.catch((e: unknown) => e);
      expect(waits).toBeInstanceOf(RunStillWaitingError);
      expect(waits).toMatchObject({ approvals: [{ toolName: 'pay' }], deferred: [] });
      await app.approvals.decide(await pending(runId), { approved: true, by: ANN });
      await ended(runId);
      expect(await app.statuses(runId)).toEqual(['print deferred', 'pay completed']);
      expect(errands().ran).toEqual(['print {"n":0}', 'pay {"n":1}']);
    });

    it('keeps the decision until its result', async () => {
      const { handle } = await play('print', 'pay');
      const { runId } = handle;
      const decisions = [{ approvalId: await pending(runId), approved: false, reason: 'too much' }];
      const waits = await app.runner.resume({ runId, user: ANN, decisions }).started.catch((e: unknown) => e);
      expect(waits).toBeInstanceOf(RunStillWaitingError);
      expect(waits).toMatchObject({
        approvals: [],
        deferred: [{ toolCallId: 'c0', toolName: 'print' }],
        message: expect.stringContaining('1 of its deferred calls still wait'),
      });
      expect(errands().ran).toEqual(['print {"n":0}']);
      expect((await app.answered(runId, RESULT)).outcome).toMatchObject({
        output: ['success printed', 'denied too much'],
      });
    });

    it('is settled together with it', async () => {
      const { handle } = await play('pay', 'print');
      const { runId } = handle;
      const decisions = [{ approvalId: await pending(runId), approved: true }];
      const results = [{ toolCallId: 'c1', value: 'printed' }];
      const { outcome } = app.runner.resume({ runId, user: ANN, decisions, results });
      expect(await outcome).toMatchObject({ output: ['success paid', 'success printed'] });
    });
  });

  it('after it was approved, was withdrawn from its claim, and never runs again', async () => {
    const { handle } = await play('ship');
    const { runId } = handle;
    const approvalId = await pending(runId);
    const waits = await app.resumed(runId, [{ approvalId, approved: true }]);
    expect(waits.outcome).toMatchObject({
      status: 'suspended',
      approvals: [],
      deferred: [{ toolCallId: 'c0', toolName: 'ship', metadata: { carrier: 'DHL' } }],
    });
    expect((await app.approvals.get(approvalId)).status).toBe('done');
    expect((await app.answered(runId, [{ toolCallId: 'c0', value: 'delivered' }])).outcome).toMatchObject({
      output: ['success delivered'],
    });
    expect(errands().ran).toEqual(['ship {"n":0}']);
    expect(app.records.events.filter((event) => event.runId === runId)).toEqual([]);
    expect(await app.operations(runId)).toMatchObject([
      { approvalId, status: 'deferred', outcome: 'success', decidedBy: 'external', executionStarted: false },
    ]);
  });

  it('keeps its run out of the sweep', async () => {
    const { handle } = await play('print');
    await app.module.get(RunSweeper).sweep();
    expect(await statusOf(handle.runId)).toBe('suspended');
    expect((await app.answered(handle.runId, RESULT)).outcome.status).toBe('completed');
  });

  it('has no result where its run is cancelled; one that was given stands, a late one is refused', async () => {
    const { handle } = await play('print', 'print');
    const { runId } = handle;
    await expect(app.runner.resume({ runId, user: ANN, results: RESULT }).started).rejects.toThrow(
      RunStillWaitingError,
    );
    expect(await app.runner.cancel(runId, 'enough')).toBe('cancelled');
    const ends = [
      { status: 'deferred', outcome: 'success', decidedBy: 'external' },
      { status: 'deferred', outcome: 'skipped', reason: 'the run ended before its result came' },
    ];
    expect(await app.operations(runId)).toMatchObject(ends);
    const late = app.runner.resume({ runId, user: ANN, results: [{ toolCallId: 'c1', value: 'late' }] });
    await expect(late.started).rejects.toThrow(RunNotResumableError);
    await expect(late.started).rejects.toThrow('nobody waits for the result any more');
    expect(await app.operations(runId)).toMatchObject(ends);
  });

  it('gives way to a new message of the user', async () => {
    const { handle } = await play('print');
    const { runId, threadId } = handle;
    const next = await app.play([], { agent: 'errands', state: proposing('lookup'), threadId });
    expect(next.outcome.status).toBe('completed');
    expect(await statusOf(runId)).toBe('cancelled');
    expect(await app.operations(runId)).toMatchObject([
      { toolName: 'print', status: 'deferred', outcome: 'skipped', reason: 'the run ended before its result came' },
    ]);
    await expect(app.runner.resume({ runId, user: ANN, results: RESULT }).started).rejects.toThrow(
      RunNotResumableError,
    );
  });

  describe('where nothing can wait', () => {
    it('is thrown at a direct call', async () => {
      const thrown = await app.tools.call('print', { n: 1 }, { user: ANN }).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(CallDeferred);
      expect(thrown).toMatchObject({ metadata: { queue: 'printers', token: 'canary' } });
    });

    it('has no result in a direct response', async () => {
      const results = await app.tools.callBatch([{ toolName: 'print', args: {} }], { user: ANN });
      expect(results).toMatchObject([{ status: 'deferred', outcome: 'skipped', error: expect.any(CallDeferred) }]);
    });

    it('has no result in a child run, which goes on', async () => {
      const inner: string[] = [];
      errands().before = async () => {
        const script = scriptedExecutor([[call('print', {}, 'p1')], [says('done')]]);
        const child = app.runner.start({ agent: script, input: 'go' });
        inner.push((await child.outcome).status, ...(await app.statuses(child.runId)));
      };
      const { outcome } = await play('lookup');
      errands().before = undefined;
      expect(outcome.status).toBe('completed');
      expect(inner).toEqual(['completed', 'print deferred']);
    });
  });
});
