import { RunFeed, type RunEvent } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { RunReader } from '../../libs/gatehouse/src/contracts/ports/run.reader.js';
import { RunStore } from '../../libs/gatehouse/src/contracts/ports/run.store.js';
import { RunDrain } from '../../libs/gatehouse/src/runs/run.drain.js';
import { RunSweeper } from '../../libs/gatehouse/src/runs/run.sweeper.js';
import { aRun, startedFrame } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { Gate } from '../e2e/support/gate.js';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';
import { bootOn, STORES } from '../support/governed/stores.js';

let app: GovernedApp;
let gate: Gate;
afterEach(async () => {
  gate.open();
  await app.close();
});

const store = () => app.module.get(RunStore);
const ran = () => app.module.get(Bodies).ran;
const status = async (runId: string) => (await app.module.get(RunReader).run(runId))?.status;
const approvals = async (runId: string) => (await app.approvals.list({ runId })).items.map((one) => one.status);
const ends = async (runId: string) =>
  (await app.trail.terminals({ runId })).items.map(({ status: end, source }) => `${end} ${source}`);

/** The next calls of this write wait at the gate. */
const hold = (write: 'takeOver' | 'finish'): void => {
  const original: (...given: never[]) => Promise<unknown> = store()[write];
  Object.assign(store(), {
    [write]: async (...given: never[]) => {
      await gate.pass();
      return original.apply(store(), given);
    },
  });
};

/** The application closes while something waits at the gate, which then opens. Tells whether the drain waited for it. */
const closeMeanwhile = async (): Promise<string> => {
  await gate.reached();
  let drained = 'waited';
  const draining = app.module.get(RunDrain).beforeApplicationShutdown();
  void draining.then(() => (drained = 'drained first'));
  // Whatever needs nobody outside has happened by then.
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  const before = drained;
  gate.open();
  await draining;
  return before;
};

const waiting = async (): Promise<{ runId: string; approvalId: string }> => {
  const { runId, outcome } = app.runner.start({ agent: 'desk', input: 'go', user: ANN });
  expect((await outcome).status).toBe('suspended');
  return { runId, approvalId: (await app.approvals.list({ runId })).items[0]?.id ?? '' };
};

describe.each(STORES)('on %s, an application that closes', (kind) => {
  beforeEach(async () => {
    gate = new Gate();
    app = await bootOn(kind, {
      providers: [Bodies, OrderTools, DeskAgent],
      options: { approvals: { autoResume: false }, runs: { grace: 50 } },
    });
    // The sweep that every application begins with would hand over what a test queues.
    await app.module.get(RunSweeper).sweep();
  });

  it('while a run is being taken over to go on, lets it wait as before: what was decided counts, and nothing ran', async () => {
    const { runId, approvalId } = await waiting();
    hold('takeOver');
    const handle = app.runner.resume({ runId, user: ANN, decisions: [{ approvalId, approved: true }] });
    expect(await closeMeanwhile()).toBe('waited');
    await expect(handle.started).rejects.toThrow('shutting down');
    expect([await status(runId), await approvals(runId), await ends(runId), ran()]).toEqual([
      'suspended',
      ['approved'],
      [],
      [],
    ]);
    const told: RunEvent[] = [];
    const followed = app.module.get(RunFeed).follow(runId, 2, { until: 'segment', signal: AbortSignal.timeout(5_000) });
    for await (const { event } of followed) told.push(event);
    expect(told.map(({ type }) => type).slice(-1)).toEqual(['run.suspended']);
    const next = { runId, purpose: 'resume', segment: newId() } as const;
    expect(await store().takeOver(next, { owner: 'another', leaseMs: 1_000 })).toMatchObject({
      taken: { status: 'running' },
      approvals: [{ id: approvalId, status: 'approved' }],
    });
  });

  const queued = async (): Promise<string> => {
    const run = aRun({ agent: 'desk', state: {} });
    await store().startRun(run, [], [startedFrame(run)], { startWithinMs: 60_000 });
    return run.id;
  };

  it('while a worker takes one that was queued to go on, lets it wait', async () => {
    const { runId, approvalId } = await waiting();
    await app.approvals.decide(approvalId, { approved: true, by: ANN });
    const segment = newId();
    const started = { type: 'run.started', runId, threadId: 'any', segment } as const;
    expect(await store().requeue({ runId, segment, started, startWithinMs: 60_000 })).toMatchObject({ queued: {} });
    hold('takeOver');
    const handle = app.runner.proceed(runId);
    expect(await closeMeanwhile()).toBe('waited');
    await expect(handle.started).rejects.toThrow('shutting down');
    expect([await status(runId), await approvals(runId), await ends(runId), ran()]).toEqual([
      'suspended',
      ['approved'],
      [],
      [],
    ]);
  });

  it('while a worker takes one that was queued to begin, cancels it before it begins', async () => {
    const runId = await queued();
    hold('takeOver');
    const handle = app.runner.proceed(runId);
    expect(await closeMeanwhile()).toBe('waited');
    expect((await handle.outcome).status).toBe('cancelled');
    expect([await ends(runId), await approvals(runId), ran()]).toEqual([['cancelled shutdown'], [], []]);
  });

  it('before a run is taken over, leaves it as it is', async () => {
    const { runId, approvalId } = await waiting();
    const fresh = await queued();
    const reader = app.module.get(RunReader);
    const read = reader.run.bind(reader);
    reader.run = async (id) => {
      await gate.pass();
      return read(id);
    };
    const begins = app.runner.proceed(fresh);
    const goesOn = app.runner.resume({ runId, user: ANN, decisions: [{ approvalId, approved: true }] });
    expect(await closeMeanwhile()).toBe('waited');
    await expect(begins.started).rejects.toThrow('shutting down');
    await expect(goesOn.started).rejects.toThrow('shutting down');
    expect([await status(fresh), await status(runId), await approvals(runId)]).toEqual([
      'queued',
      'suspended',
      ['approved'],
    ]);
    expect([await ends(fresh), await ends(runId), ran()]).toEqual([[], [], []]);
  });

  it('while a run is being taken over that somebody wants cancelled, ends it so', async () => {
    const { runId, approvalId } = await waiting();
    hold('takeOver');
    const { giveBack } = store();
    store().giveBack = async (...given) => {
      await store().requestCancel(runId, 'requested', 'enough');
      return giveBack.apply(store(), given);
    };
    const handle = app.runner.resume({ runId, user: ANN, decisions: [{ approvalId, approved: true }] });
    expect(await closeMeanwhile()).toBe('waited');
    expect(await handle.outcome).toMatchObject({ status: 'cancelled', error: { source: 'requested' } });
    expect([await ends(runId), await approvals(runId), ran()]).toEqual([['cancelled requested'], ['cancelled'], []]);
  });

  it('while a run is being taken over that lives nowhere else, cancels it before anything of it runs', async () => {
    const agent = scriptedExecutor([[call('refund', { order: 7, amount: 25 })], [says('ok')]]);
    const { runId, outcome } = app.runner.start({ agent, input: 'go', user: ANN });
    await outcome;
    const approvalId = (await app.approvals.list({ runId })).items[0]?.id ?? '';
    hold('takeOver');
    const handle = app.runner.resume({ runId, user: ANN, decisions: [{ approvalId, approved: true }] });
    expect(await closeMeanwhile()).toBe('waited');
    expect(await handle.outcome).toMatchObject({ status: 'cancelled', error: { source: 'shutdown' } });
    expect([await approvals(runId), await app.statuses(runId), ran()]).toEqual([['cancelled'], ['refund skipped'], []]);
  });

  it('while it ends a run that waits, ends it', async () => {
    const { runId } = await waiting();
    hold('finish');
    const answer = app.runner.cancel(runId, 'enough');
    expect(await closeMeanwhile()).toBe('waited');
    expect([await answer, await ends(runId), await approvals(runId)]).toEqual([
      'cancelled',
      ['cancelled requested'],
      ['cancelled'],
    ]);
  });
});
