import { Injectable } from '@nestjs/common';
import {
  Agent,
  RunFeed,
  type GatehouseModuleOptions,
  type RunCandidate,
  type RunContext,
  type RunEvent,
  type RunExecutor,
} from 'nest-gatehouse';

import { RunReader } from '../../libs/gatehouse/src/contracts/ports/run.reader.js';
import { RunStore } from '../../libs/gatehouse/src/contracts/ports/run.store.js';
import { RunSweeper } from '../../libs/gatehouse/src/runs/run.sweeper.js';
import { aRun, startedFrame } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';
import { bootOn, STORES, type Store } from '../support/governed/stores.js';

/** Proposes what waits for a person, and beside it what takes as long as it may. */
@Injectable()
@Agent({ name: 'both' })
class Both implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const calls = [
      { toolName: 'refund', args: { order: 7, amount: 25 } },
      { toolName: 'patient', args: {} },
    ];
    return { value: (run.resumed ?? (await run.callBatch(calls)))[0]?.content };
  }
}

let app: GovernedApp;
afterEach(() => app.close());

const providers = [Bodies, OrderTools, DeskAgent, Both];

/** Once the sweep that every application begins with is over: it would find what a test leaves behind on purpose. */
const begin = async (kind: Store, approvals?: GatehouseModuleOptions['approvals']): Promise<void> => {
  app = await bootOn(kind, { providers, options: { approvals, runs: { grace: 50 } } });
  await sweep();
};
const store = () => app.module.get(RunStore);
const sweep = () => app.module.get(RunSweeper).sweep();
const ran = () => app.module.get(Bodies).ran;

/** A run of the desk that waits for its one approval. */
const waiting = async (): Promise<{ runId: string; approvalId: string; threadId: string }> => {
  const { runId, threadId, outcome } = app.runner.start({ agent: 'desk', input: 'go', user: ANN });
  expect((await outcome).status).toBe('suspended');
  return { runId, threadId, approvalId: (await app.approvals.list({ runId })).items[0]?.id ?? '' };
};

/** The next end of a run that waits is cut short: it was taken over, and its process is lost before it is written. */
const cutShort = (): void => {
  const { takeOver, finish } = store();
  store().takeOver = (take, { owner }) => takeOver.call(store(), take, { owner, leaseMs: -1_000 });
  store().finish = () => {
    Object.assign(store(), { takeOver, finish });
    return Promise.reject(new Error('the process is lost'));
  };
};

/** The run's process is gone: its lease is over. */
const lose = async (runId: string): Promise<void> => {
  const { owner, epoch } = (await app.module.get(RunReader).run(runId)) ?? { owner: null, epoch: 0 };
  await store().renew([{ runId, epoch }], { owner: owner ?? '', leaseMs: -1_000 });
};

const ends = async (runId: string) =>
  (await app.trail.terminals({ runId })).items.map(({ status, source, reason }) => [status, source, reason]);
const approvalsOf = async (runId: string) => (await app.approvals.list({ runId })).items.map(({ status }) => status);

describe.each(STORES)('on %s, a run that waits, and whose end was cut short,', (kind) => {
  describe.each([true, false])('approvals.autoResume %s,', (autoResume) => {
    beforeEach(async () => {
      await begin(kind, { autoResume });
    });

    it('is cancelled by whoever finds it, and goes on nowhere', async () => {
      const { runId, threadId } = await waiting();
      cutShort();
      await expect(app.runner.cancel(runId, 'changed my mind')).rejects.toThrow('the process is lost');
      await sweep();
      expect(await ends(runId)).toEqual([['cancelled', 'requested', 'changed my mind']]);
      expect(await app.statuses(runId)).toEqual(['refund skipped']);
      expect([await approvalsOf(runId), ran()]).toEqual([['cancelled'], []]);
      expect(await app.runner.cancel(runId)).toBe('cancelled');
      const next = app.runner.start({ agent: 'desk', input: 'something else', user: ANN, threadId });
      expect((await next.outcome).status).toBe('suspended');
    });

    it('is superseded by the message that came, when that comes again', async () => {
      const { runId, threadId } = await waiting();
      cutShort();
      const message = () => app.runner.start({ agent: 'desk', input: 'something else', user: ANN, threadId });
      await expect(message().started).rejects.toThrow('the process is lost');
      await sweep();
      expect(await ends(runId)).toEqual([['cancelled', 'requested', 'superseded by a new message']]);
      expect(await app.statuses(runId)).toEqual(['refund denied']);
      expect([await approvalsOf(runId), ran()]).toEqual([['superseded'], []]);
      expect((await message().outcome).status).toBe('suspended');
    });
  });

  describe('and', () => {
    beforeEach(async () => {
      await begin(kind);
    });

    const queued = async (startWithinMs: number): Promise<string> => {
      const run = aRun({ agent: 'desk', state: {} });
      await store().startRun(run, [], [startedFrame(run)], { startWithinMs });
      return run.id;
    };

    it('that was queued still, is cancelled all the same', async () => {
      const runId = await queued(60_000);
      cutShort();
      await expect(app.runner.cancel(runId, 'not any more')).rejects.toThrow('the process is lost');
      await sweep();
      expect([await ends(runId), ran()]).toEqual([[['cancelled', 'requested', 'not any more']], []]);
    });

    it('that was queued for too long, is interrupted all the same', async () => {
      const runId = await queued(-1);
      cutShort();
      await sweep();
      expect(await ends(runId)).toEqual([]);
      await sweep();
      expect([await ends(runId), ran()]).toEqual([[['interrupted', null, null]], []]);
    });

    it('whose ids others have used, is cancelled when somebody asks for it', async () => {
      const { runId } = await waiting();
      for (const segment of [`${runId}:end`, `${runId}:lost`]) {
        expect((await app.runner.start({ agent: 'desk', input: 'go', user: ANN, segment }).outcome).status).toBe(
          'suspended',
        );
      }
      expect(await app.runner.cancel(runId)).toBe('cancelled');
    });
  });
});

describe.each(STORES)('on %s, a run that is found after its process was lost', (kind) => {
  beforeEach(async () => {
    await begin(kind, { autoResume: false });
  });

  /** Approved and taken over by a process that is lost before it begins. */
  const lostResuming = async (): Promise<string> => {
    const { runId, approvalId } = await waiting();
    await app.approvals.decide(approvalId, { approved: true, by: ANN });
    const taken = await store().takeOver(
      { runId, purpose: 'resume', segment: newId() },
      { owner: 'gone', leaseMs: -1_000 },
    );
    expect(taken).toMatchObject({ taken: { status: 'running' } });
    return runId;
  };

  /** Somebody cancels at the last moment before the run waits again. Tells what they were answered. */
  const cancelledMeanwhile = (runId: string): (() => string | undefined) => {
    const { giveBack } = store();
    let answer: string | undefined;
    store().giveBack = async (...given) => {
      answer ??= await app.runner.cancel(runId, 'enough');
      return giveBack.apply(store(), given);
    };
    return () => answer;
  };

  it('is cancelled where somebody asks for that while it is being let wait', async () => {
    const runId = await lostResuming();
    const answer = cancelledMeanwhile(runId);
    await sweep();
    expect([answer(), await ends(runId)]).toEqual(['running', [['cancelled', 'requested', 'enough']]]);
    expect(await app.statuses(runId)).toEqual(['refund skipped']);
    expect([await approvalsOf(runId), ran()]).toEqual([['cancelled'], []]);
  });

  it('is cancelled where somebody had asked for that before', async () => {
    const runId = await lostResuming();
    expect(await app.runner.cancel(runId, 'enough')).toBe('running');
    await sweep();
    expect(await ends(runId)).toEqual([['cancelled', 'requested', 'enough']]);
    expect([await approvalsOf(runId), ran()]).toEqual([['cancelled'], []]);
  });

  it.each(['before', 'meanwhile'])('is cancelled %s, and a call beside what waits has its one end', async (when) => {
    const handle = app.runner.start({ agent: 'both', input: 'go', user: ANN });
    const { runId } = handle;
    while ((await approvalsOf(runId)).length === 0 || ran().length === 0) await new Promise(setImmediate);
    // The process stands still from here on, and hears of nothing.
    const { renew } = store();
    await lose(runId);
    store().renew = () => Promise.resolve({ lost: [], cancels: [], unwatched: [] });
    if (when === 'before') await store().requestCancel(runId, 'requested', 'enough');
    else {
      const { giveBack } = store();
      store().giveBack = async (...given) => {
        await store().requestCancel(runId, 'requested', 'enough');
        return giveBack.apply(store(), given);
      };
    }
    await sweep();
    store().renew = renew;
    expect(await ends(runId)).toEqual([['cancelled', 'requested', 'enough']]);
    expect(await app.statuses(runId)).toEqual(['refund skipped', 'patient interrupted']);
    expect(await approvalsOf(runId)).toEqual(['cancelled']);
    const told: RunEvent[] = [];
    const feed = app.module.get(RunFeed);
    for await (const { event } of feed.follow(runId, 0, { until: 'run' })) told.push(event);
    expect(told.filter(({ type }) => type === 'tool.result' || type === 'run.suspended')).toMatchObject([
      { status: 'interrupted' },
      { status: 'skipped' },
    ]);
    expect(told.at(-1)).toMatchObject({ type: 'run.cancelled', source: 'requested', reason: 'enough' });
    handle.outcome.catch(() => undefined);
  });

  it('and waits again before its owner could be asked to cancel it, is cancelled where it waits', async () => {
    const runId = await lostResuming();
    const { requestCancel } = store();
    store().requestCancel = async (...given) => {
      await sweep();
      return requestCancel.apply(store(), given);
    };
    expect(await app.runner.cancel(runId, 'enough')).toBe('cancelled');
    expect(await ends(runId)).toEqual([['cancelled', 'requested', 'enough']]);
  });
});
