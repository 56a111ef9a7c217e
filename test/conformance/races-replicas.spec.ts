import { RunFeed } from 'nest-gatehouse';

import { ANN, BOB, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { inside } from './support/inside.js';
import { both, endOf, eventually, Racer, Racing } from './support/racing.js';
import { sqlOn } from './support/sql.js';

/** Ten in every test run, fifty in `npm run soak:races`. */
const ROUNDS = Array.from({ length: process.env['GATEHOUSE_SOAK'] === undefined ? 10 : 50 }, (_, round) => round);
const CLEO = { id: 'cleo', organizationId: 'acme', roles: ['approver'] };

let database: FreshDatabase;
let here: GovernedApp;
let there: GovernedApp;
beforeAll(async () => {
  database = await freshDatabase(await migratedTemplate());
  const replica = () => bootOnUrl(database.url, { providers: [Racing, Racer], options: { runs: { grace: 50 } } });
  here = await replica();
  there = await replica();
});
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await database.drop();
});

const sweep = () => inside<{ sweep(): Promise<void> }>(there.module, 'RunSweeper').sweep();
const startsOf = (runId: string): number =>
  [here, there].flatMap((app) => app.module.get(Racing).started).filter((id) => id === runId).length;
const start = (input: string) => here.runner.start({ agent: 'racer', input, user: ANN });
const approvalOf = (runId: string) => eventually(async () => (await here.approvals.list({ runId })).items[0]);

/** A run that waits, and the id of its approval. */
async function suspended(tool = 'pay'): Promise<{ runId: string; approvalId: string }> {
  const { runId, outcome } = start(tool);
  expect((await outcome).status).toBe('suspended');
  return { runId, approvalId: (await approvalOf(runId)).id };
}

it('[360] two replicas resume one run: one owns it, and the other one follows its stream to the end', async () => {
  for (const round of ROUNDS) {
    const { runId, approvalId } = await suspended();
    const decisions = [{ approvalId, approved: true }];
    const resumeOn = (app: GovernedApp) => app.runner.resume({ runId, user: ANN, decisions }).outcome;
    const results = await both(
      round,
      () => resumeOn(here),
      () => resumeOn(there),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const lost = results.find((result) => result.status === 'rejected');
    expect(lost?.reason).toMatchObject({ name: 'RunNotResumableError' });
    expect([await endOf(here, runId), await endOf(there, runId), startsOf(runId)]).toEqual([
      'completed',
      'completed',
      1,
    ]);
    const owners = await sqlOn<{ epoch: number }>(database.url, 'select epoch from gatehouse.agent_run where id = $1', [
      runId,
    ]);
    expect(owners).toEqual([{ epoch: 2 }]);
    const follower = results[0]?.status === 'rejected' ? here : there;
    const types: string[] = [];
    const signal = AbortSignal.timeout(10_000);
    for await (const { event } of follower.module
      .get(RunFeed, { strict: false })
      .follow(runId, 0, { until: 'run', signal })) {
      types.push(event.type);
    }
    expect([types[0], types.at(-1)]).toEqual(['run.started', 'run.finished']);
  }
});

describe('[361] of two that meet, one outcome; nothing hangs', () => {
  it('a decision against its expiry', async () => {
    for (const round of ROUNDS) {
      const { runId, approvalId } = await suspended();
      const [decision] = await both(
        round,
        () => here.approvals.decide(approvalId, { approved: true, by: ANN }),
        async () => {
          await sqlOn(
            database.url,
            "update gatehouse.approval_request set expires_at = now() - interval '1 second' where id = $1 and status = 'pending'",
            [approvalId],
          );
          await sweep();
        },
      );
      const approved = decision?.status === 'fulfilled';
      if (!approved) expect(decision?.reason).toMatchObject({ name: 'ApprovalConflictError' });
      await sweep();
      expect([await endOf(there, runId), startsOf(runId)]).toEqual(['completed', approved ? 1 : 0]);
      expect((await there.approvals.get(approvalId)).status).toBe(approved ? 'done' : 'expired');
    }
  });

  it('the last decision against the suspension', async () => {
    for (const _round of ROUNDS) {
      const { runId, outcome } = start('pay');
      const { id } = await approvalOf(runId);
      await there.approvals.decide(id, { approved: true, by: ANN });
      expect(['completed', 'suspended']).toContain((await outcome).status);
      expect([await endOf(here, runId), startsOf(runId)]).toEqual(['completed', 1]);
    }
  });

  it('the votes of a quorum', async () => {
    for (const round of ROUNDS) {
      const { runId, approvalId } = await suspended('transfer');
      const votes = await both(
        round,
        () => here.approvals.decide(approvalId, { approved: true, by: BOB }),
        () => there.approvals.decide(approvalId, { approved: true, by: CLEO }),
      );
      expect(votes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect([await endOf(here, runId), startsOf(runId)]).toEqual(['completed', 1]);
      expect((await here.approvals.get(approvalId)).decidedBy.toSorted()).toEqual(['bob', 'cleo']);
    }
  });

  it('a cancel against a claim', async () => {
    for (const round of ROUNDS) {
      const { runId, approvalId } = await suspended();
      await both(
        round,
        () => here.runner.resume({ runId, user: ANN, decisions: [{ approvalId, approved: true }] }).outcome,
        () => there.runner.cancel(runId, 'never mind'),
      );
      const status = await endOf(there, runId);
      const approval = (await there.approvals.get(approvalId)).status;
      expect(startsOf(runId)).toBe(approval === 'done' ? 1 : 0);
      expect(status === 'completed' ? ['done'] : ['done', 'cancelled', 'denied']).toContain(approval);
    }
  });

  it('a cancel against completion', async () => {
    for (const round of ROUNDS) {
      const run = start('hello');
      await run.started;
      const [outcome, cancel] = await both(
        round,
        () => run.outcome,
        () => here.runner.cancel(run.runId),
      );
      const status = await endOf(there, run.runId);
      expect(['completed', 'cancelled']).toContain(status);
      expect(outcome).toMatchObject({ status: 'fulfilled', value: { status } });
      expect(cancel).toEqual({ status: 'fulfilled', value: status });
    }
  });
});
