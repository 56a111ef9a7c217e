import { RunStillWaitingError, type Principal } from 'nest-gatehouse';
import { says } from 'nest-gatehouse/testing';

import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, bootOnUrl, migratedTemplate, STORES } from '../support/governed/stores.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { sqlOn } from '../conformance/support/sql.js';
import { answer, asked, BOSS, CHIEF, erase, PLAIN, PlainTools } from './support/plain.tools.js';
import { providerProblems, strictly } from './strict.provider.js';

let app: GovernedApp;
afterEach(() => app.close());
const ran = () => app.module.get(PlainTools).ran;
const ask = async (input: string) => (await app.play([], { agent: 'plain', input, user: ANN })).handle.runId;
const only = async (runId: string) => (await asked(app, runId))[0]?.id ?? '';
const ended = async (runId: string): Promise<void> => {
  const signal = AbortSignal.timeout(15_000);
  while ((await app.trail.terminals({ runId })).items.length === 0) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

describe.each(STORES)('approvals, in %s', (store) => {
  beforeEach(async () => {
    app = await bootOn(store, { providers: PLAIN, options: { runs: { grace: 50 } } });
  });

  it('a resume whose decision is one of two counts, and says that somebody else must decide', async () => {
    const runId = await ask('close 1');
    const decisions = [{ approvalId: await only(runId), approved: true }];
    const first: unknown = await app.resumed(runId, decisions, BOSS).catch((error: unknown) => error);
    expect(first).toBeInstanceOf(RunStillWaitingError);
    expect((first as RunStillWaitingError).approvals).toMatchObject([
      { status: 'pending', votes: [{ principalId: 'boss' }] },
    ]);
    expect((await app.resumed(runId, decisions, CHIEF)).outcome).toMatchObject({
      status: 'completed',
      output: 'closed 1',
    });
    expect(ran()).toEqual(['close 1']);
  });

  it.each<[string, Principal | undefined, string]>([
    ['whoever lacks the role', ANN, 'you have none of the roles that decide'],
    ['somebody of another organization', { ...BOSS, organizationId: 'other' }, 'it belongs to another organization'],
    ['nobody', { id: ' ' }, 'nobody is signed in'],
  ])('the attempt of %s is recorded, in the story of its run too, and decides nothing', async (_who, by, why) => {
    const runId = await ask('close 1');
    const approvalId = await only(runId);
    await expect(app.approvals.decide(approvalId, { approved: true, by: by as Principal })).rejects.toThrow(approvalId);
    const { items } = await app.trail.approvalEvents({ runId, kind: 'refused' });
    expect(items).toMatchObject([{ approvalId, principalId: by?.id, detail: why }]);
    expect((await app.trail.timeline(runId)).map(({ kind, by: whose }) => `${kind} ${whose}`)).toEqual([
      'run.started null',
      'approval.requested ann',
      `approval.refused ${by?.id}`,
    ]);
    expect((await app.approvals.get(approvalId)).status).toBe('pending');
  });

  it('a no of somebody else than the approval itself is recorded in the same place', async () => {
    const runId = await ask('close 1');
    const approvalId = await only(runId);
    await expect(app.approvals.refuse(approvalId, BOSS, 'the access policy says no')).rejects.toThrow(
      'the access policy says no',
    );
    expect((await app.trail.approvalEvents({ principalId: 'boss' })).items).toMatchObject([
      { kind: 'refused', approvalId, detail: 'the access policy says no' },
    ]);
  });

  it('cancelled while the approved call runs: its outcome is unknown, is listed so, and a person says what it was, once', async () => {
    const runId = await ask('erase 1');
    const approvalId = await only(runId);
    app.module.get(PlainTools).during = () => {
      void app.runner.cancel(runId);
      return new Promise((resolve) => setTimeout(resolve, 200));
    };
    const said = { outcome: 'ran', by: ANN, note: 'The file is gone.' } as const;
    await expect(app.approvals.resolve(approvalId, said)).rejects.toThrow('it is pending');
    const { outcome } = await answer(app, runId, true);
    expect(outcome.status).toBe('cancelled');
    expect((await app.approvals.list({ status: 'unknown' })).items.map(({ id }) => id)).toEqual([approvalId]);
    expect(await app.statuses(runId)).toEqual(['erase interrupted']);
    expect((await app.approvals.resolve(approvalId, said)).status).toBe('done');
    expect((await app.approvals.resolve(approvalId, said)).status).toBe('done');
    await expect(app.approvals.resolve(approvalId, { ...said, outcome: 'did-not-run' })).rejects.toThrow(
      'resolved, once',
    );
    await expect(app.approvals.resolve(approvalId, { ...said, by: BOSS })).rejects.toThrow('only the person');
    expect(ran()).toEqual(['erase 1']);
  });

  it('B12 a cancel that lands while the approved call runs does not run it again', async () => {
    const runId = await ask('erase 1');
    app.module.get(PlainTools).during = () => void app.runner.cancel(runId);
    await answer(app, runId, true);
    await expect(answer(app, runId)).rejects.toThrow('it does not wait');
    expect(ran()).toEqual(['erase 1']);
  });

  it.each(['approved', 'denied', 'cancelled', 'superseded'])(
    'a thread goes on at a strict provider once its call was %s',
    async (how) => {
      const lines = strictly([[erase(1)], [says('ok')]]);
      const { handle } = await app.play(lines, { user: ANN, threadId: 'thread' });
      if (how === 'cancelled') await app.runner.cancel(handle.runId);
      else if (how !== 'superseded') await answer(app, handle.runId, how === 'approved');
      const next = await app.play(strictly([[says('and now?')]]), { user: ANN, threadId: 'thread' });
      expect(next.outcome).toMatchObject({ status: 'completed', output: 'and now?' });
      expect(providerProblems(next.script.requests[0] ?? [])).toEqual([]);
      expect(next.script.requests[0]?.filter(({ role }) => role === 'tool')).toHaveLength(1);
    },
  );
});

describe('approvals that outlive their process', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase(await migratedTemplate());
    await start();
  });
  afterEach(() => database.drop());
  const start = async (autoResume = true, guard = true) => {
    const options = { runs: { grace: 50, lease: '2s' }, approvals: { autoResume }, guard: { enabled: guard } } as const;
    app = await bootOnUrl(database.url, { providers: PLAIN, options });
  };
  /** Hours go by with nobody there. */
  const downtime = async () => {
    await app.close();
    await sqlOn(
      database.url,
      `UPDATE gatehouse.approval_request SET expires_at = expires_at - interval '5 hours', execute_before = execute_before - interval '5 hours'`,
    );
    await start();
  };
  const readOf = async (runId: string) => {
    const [operation] = await app.operations(runId);
    const messages = await sqlOn<{ body: string }>(
      database.url,
      `SELECT body FROM gatehouse.thread_message WHERE run_id = '${runId}' AND body LIKE '%"role":"tool"%'`,
    );
    return [operation?.status, operation?.reason, messages[0]?.body.includes('It did not run.')];
  };

  it('one that nobody answered for hours is expired, and its run goes on by itself', async () => {
    const runId = await ask('erase 1');
    await downtime();
    await ended(runId);
    expect(await readOf(runId)).toEqual(['expired', 'nobody answered in time', true]);
    expect(ran()).toEqual([]);
  });

  it('one that was approved and not started in time is expired, and says that', async () => {
    await app.close();
    await start(false);
    const runId = await ask('erase 1');
    await app.approvals.decide(await only(runId), { approved: true, by: ANN });
    await downtime();
    await ended(runId);
    expect(await readOf(runId)).toEqual(['expired', 'it was approved, and not started in time', true]);
    expect(ran()).toEqual([]);
  });

  it('B01 a denial after a restart without the guard runs nothing', async () => {
    const runId = await ask('erase 1');
    await app.close();
    await start(true, false);
    await answer(app, runId, false);
    expect([ran(), await app.statuses(runId)]).toEqual([[], ['erase denied']]);
  });

  it('B33 the id of what waits is the same after a restart', async () => {
    const runId = await ask('erase 1');
    const before = await only(runId);
    await app.close();
    await start();
    expect(await only(runId)).toBe(before);
  });

  it('B27 a run is resumed in another process with everything that waited', async () => {
    const runId = await ask('erase 1');
    await app.close();
    await start();
    expect((await answer(app, runId, true)).outcome).toMatchObject({ status: 'completed', output: 'erased 1' });
  });
});
