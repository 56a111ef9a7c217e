import { RunFeed, type RunEvent } from 'nest-gatehouse';

import { RunStore } from '../../libs/gatehouse/src/contracts/ports/run.store.js';
import { RunSweeper } from '../../libs/gatehouse/src/runs/run.sweeper.js';
import { aRun } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { bootOn, STORES } from '../support/governed/stores.js';

describe.each(STORES)('on %s, a run whose process is gone', (kind) => {
  it('ends with everything closed that its process had begun to say', async () => {
    const app = await bootOn(kind, { providers: [] });
    try {
      const run = aRun({ agent: '(inline)', local: true, state: { order: 7 } });
      const started: RunEvent = { type: 'run.started', runId: run.id, threadId: run.threadId, segment: run.segment };
      const begun: RunEvent[] = [
        { type: 'text.start', messageId: 'm' },
        { type: 'text.delta', messageId: 'm', delta: 'Let me' },
        { type: 'step.started', step: 1 },
        { type: 'child.started', runId: 'c', agent: 'other', operationId: 'o' },
        { type: 'reasoning.start', messageId: 'r' },
        { type: 'reasoning.end', messageId: 'r' },
      ];
      const store = app.module.get(RunStore);
      await store.startRun(run, [], [{ seq: 1, event: started }], { owner: 'gone', leaseMs: -1_000 });
      const frames = begun.map((event, at) => ({ seq: at + 2, event }));
      await store.appendFrames({ runId: run.id, epoch: 1 }, frames);
      await app.module.get(RunSweeper).sweep();
      const told: RunEvent[] = [];
      const feed = app.module.get(RunFeed);
      for await (const { event } of feed.follow(run.id, 0, { until: 'run' })) told.push(event);
      expect(told).toEqual([
        started,
        ...begun,
        { type: 'state.snapshot', state: { order: 7 } },
        { type: 'child.finished', runId: 'c', status: 'running' },
        { type: 'text.end', messageId: 'm' },
        { type: 'step.finished', step: 1 },
        { type: 'run.failed', segment: `${run.id}:lost`, message: 'The run was interrupted.', code: 'interrupted' },
      ]);
    } finally {
      await app.close();
    }
  });
});
