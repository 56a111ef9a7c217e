import { RunNotResumableError } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';
import { RunReader } from '../../libs/gatehouse/src/contracts/ports/run.reader.js';
import { RunSweeper } from '../../libs/gatehouse/src/runs/run.sweeper.js';
import { sqlOn } from '../conformance/support/sql.js';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { freshDatabase } from '../support/postgres.js';
import { ErrandAgent, Errands, proposing } from './support/errands.js';

const ASKS = { agent: 'errands', input: 'go' };

describe('a call that is handed on in one process', () => {
  const apps: GovernedApp[] = [];
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  beforeEach(async () => {
    database = await freshDatabase(await migratedTemplate());
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await database.drop();
  });
  const replica = async () => {
    const app = await bootOnUrl(database.url, { providers: [Errands, ErrandAgent] });
    apps.push(app);
    return app;
  };
  const ran = (app: GovernedApp) => app.module.get(Errands).ran;

  it('is answered in another one, which goes on with the run: its method ran once, and not there', async () => {
    const home = await replica();
    const { handle } = await home.play([], { agent: 'errands', state: proposing('lookup', 'print') });
    const { runId } = handle;
    apps.length = 0;
    await home.close();
    const away = await replica();
    const told = await away.answered(runId, [{ toolCallId: 'c1', value: { pages: 3 } }]);
    expect(told.outcome).toMatchObject({ status: 'completed', output: ['success found', 'success {"pages":3}'] });
    expect([ran(home), ran(away)]).toEqual([['lookup {"n":0}', 'print {"n":1}'], []]);
    expect(await away.statuses(runId)).toEqual(['lookup completed', 'print deferred']);
  });

  it('is answered in two at once: both results are the same one, and one process goes on', async () => {
    const [home, away] = [await replica(), await replica()];
    const { handle } = await home.play([], { agent: 'errands', state: proposing('print') });
    const { runId } = handle;
    const results = [{ toolCallId: 'c0', value: 'printed' }];
    const both = await Promise.allSettled(
      [home, away].map((app) => app.runner.resume({ runId, user: ANN, results }).outcome),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = both.find((one) => one.status === 'rejected');
    expect(refused?.reason).toBeInstanceOf(RunNotResumableError);
    expect(await home.statuses(runId)).toEqual(['print deferred']);
  });

  it('whose process is lost beside it waits on in another one, which goes on once it is answered', async () => {
    const [home, away] = [await replica(), await replica()];
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    home.module.get(Errands).before = () => left;
    const { runId, outcome } = home.runner.start({ ...ASKS, state: proposing('print', 'lookup'), user: ANN });
    const reader = away.module.get(RunReader);
    while ((await reader.deferrals(runId)).length === 0 || !ran(home).includes('lookup {"n":1}'))
      await new Promise((resolve) => setImmediate(resolve));
    await sqlOn(database.url, `update gatehouse.agent_run set lease_until = now() - interval '1 minute'`);
    await away.module.get(RunSweeper).sweep();
    expect(await reader.run(runId)).toMatchObject({ status: 'suspended', epoch: 2 });
    const told = await away.answered(runId, [{ toolCallId: 'c0', value: 'printed' }]);
    leave();
    expect(told.outcome).toMatchObject({
      status: 'completed',
      output: ['success printed', expect.stringContaining("skipped Tool 'lookup' was interrupted")],
    });
    expect(await outcome).toMatchObject({ status: 'interrupted' });
    expect([ran(away), await away.statuses(runId)]).toEqual([[], ['print deferred', 'lookup interrupted']]);
  });

  it('of a run with an inline executor is answered where it lives; elsewhere nothing is taken', async () => {
    const [home, away] = [await replica(), await replica()];
    const agent = scriptedExecutor([[call('print', {}, 'p1')], [says('ok')]]);
    const { runId, outcome } = home.runner.start({ agent, input: 'go', user: ANN });
    expect((await outcome).status).toBe('suspended');
    const results = [{ toolCallId: 'p1', value: 'printed' }];
    await expect(away.runner.resume({ runId, user: ANN, results }).started).rejects.toThrow(RunNotResumableError);
    const other = home.runner.resume({ runId, user: ANN, results: [{ toolCallId: 'p1', value: 'otherwise' }] });
    expect((await other.outcome).status).toBe('completed');
    expect(agent.results.flat()).toMatchObject([{ outcome: 'success', content: 'otherwise' }]);
  });
});
