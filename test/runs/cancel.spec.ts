import { call, says } from 'nest-gatehouse/testing';

import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';
import { bootOn, STORES } from '../support/governed/stores.js';

let app: GovernedApp;
afterEach(() => app.close());

/** Resolves once the method has started. */
const started = async (tool: string) => {
  const { ran } = app.module.get(Bodies);
  while (!ran.includes(tool)) await new Promise((resolve) => setImmediate(resolve));
};

const runLines = () =>
  app.records.events.filter(({ kind }) => kind === 'run').map(({ toolName, error }) => `${toolName} ${error}`);

describe.each(STORES)('cancelling a run in %s', (store) => {
  beforeEach(async () => {
    app = await bootOn(store, { providers: [Bodies, OrderTools] });
  });

  it('mid-tool: one agent.run record, one terminal record, the operation interrupted', async () => {
    const told = app.play([[call('patient'), call('lookup', { order: 1 })]], { limits: { parallelToolCalls: 1 } });
    await started('patient');
    const [runId] = await running();
    expect(await app.runner.cancel(runId ?? '', 'changed my mind')).toBe('cancelled');
    const { outcome, events } = await told;
    expect(outcome).toMatchObject({ status: 'cancelled', error: { source: 'requested', reason: 'changed my mind' } });
    expect(events.at(-1)).toMatchObject({ type: 'run.cancelled', source: 'requested', reason: 'changed my mind' });
    expect(await app.statuses(runId ?? '')).toEqual(['patient interrupted', 'lookup skipped']);
    expect(runLines()).toEqual(['agent.run cancelled: requested: changed my mind']);
    expect((await app.trail.terminals({ runId })).items).toMatchObject([{ status: 'cancelled', source: 'requested' }]);
  });

  it('[233] a body that ignores the signal is recorded as late, and its result never used', async () => {
    const told = app.play([[call('deaf')]]);
    await started('deaf');
    const [runId] = await running();
    await app.runner.cancel(runId ?? '');
    const { outcome } = await told;
    expect(outcome.status).toBe('cancelled');
    expect(await app.statuses(runId ?? '')).toEqual(['deaf interrupted']);
    app.module.get(OrderTools).release();
    while (!app.records.events.some(({ late }) => late)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(app.records.events.filter(({ kind }) => kind === 'tool')).toMatchObject([
      { toolName: 'deaf', late: true, success: true },
    ]);
  });

  it("before the executor's first word: still exactly one cancelled record", async () => {
    const controller = new AbortController();
    controller.abort(new Error('gone'));
    const { outcome, handle, script } = await app.play([[says('never')]], { signal: controller.signal });
    expect(outcome).toMatchObject({ status: 'cancelled', error: { source: 'signal' } });
    expect(script.requests).toEqual([]);
    expect(runLines()).toEqual(['agent.run cancelled: signal']);
    expect((await app.trail.terminals({ runId: handle.runId })).items).toHaveLength(1);
  });

  it('twice is once, and a run that has ended stays what it was', async () => {
    const { handle } = await app.play([[says('done')]]);
    expect(await app.runner.cancel(handle.runId)).toBe('completed');
    expect(await app.runner.cancel(handle.runId)).toBe('completed');
    expect(runLines()).toEqual([]);
  });

  it('shutdown cancels what runs, and its record is there before the module is closed', async () => {
    const told = app.play([[call('patient')]]);
    await started('patient');
    await app.close();
    expect((await told).outcome).toMatchObject({ status: 'cancelled', error: { source: 'shutdown' } });
    expect(runLines()).toEqual(['agent.run cancelled: shutdown']);
    await expect(
      app.runner.start({ agent: { execute: async () => ({ value: 1 }) }, input: 'go', user: ANN }).started,
    ).rejects.toThrow('shutting down');
  });
});

const running = async () => {
  const { RunReader } = await import('../../libs/gatehouse/src/contracts/ports/run.reader.js');
  const { items } = await app.module.get(RunReader, { strict: false }).runs({ status: 'running' });
  return items.map(({ id }) => id);
};
