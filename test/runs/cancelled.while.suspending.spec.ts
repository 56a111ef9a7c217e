import { RunFeed } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { RunStore } from '../../libs/gatehouse/src/contracts/ports/run.store.js';
import { ANN } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { freshDatabase } from '../support/postgres.js';

it('a call that would have waited has its result on the stream, where another replica cancels before it does', async () => {
  const database = await freshDatabase(await migratedTemplate());
  const boot = () => bootOnUrl(database.url, { providers: [Bodies, OrderTools, DeskAgent] });
  const [home, away] = [await boot(), await boot()];
  try {
    const store = home.module.get(RunStore, { strict: false });
    const suspend = store.suspend.bind(store);
    store.suspend = async (fence, ...rest) => {
      await away.runner.cancel(fence.runId);
      return suspend(fence, ...rest);
    };
    const agent = scriptedExecutor([[call('refund', { order: 7, amount: 25 }, 'call-1')], [says('ok')]]);
    const handle = home.runner.start({ agent, input: 'go', user: ANN });
    expect(await handle.outcome).toMatchObject({ status: 'cancelled' });
    const types: string[] = [];
    for await (const { event } of away.module.get(RunFeed).follow(handle.runId, 0, { until: 'run' }))
      types.push(event.type === 'tool.result' ? `${event.type} ${event.toolCallId} ${event.status}` : event.type);
    expect(types).toEqual([
      'run.started',
      'step.started',
      'tool.start',
      'tool.args',
      'tool.end',
      'tool.result call-1 skipped',
      'step.finished',
      'run.cancelled',
    ]);
    expect((await away.approvals.list({ runId: handle.runId })).items).toMatchObject([{ status: 'cancelled' }]);
    expect(home.module.get(Bodies).ran).toEqual([]);
  } finally {
    await Promise.all([home.close(), away.close()]);
    await database.drop();
  }
});
