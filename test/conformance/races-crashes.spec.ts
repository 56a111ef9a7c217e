import { setTimeout as pause } from 'node:timers/promises';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { migratedTemplate } from '../support/governed/stores.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { sealedEvidence } from '../support/sealed.evidence.js';
import { actorOn } from './support/crash.app.js';
import type { CrashPoint } from './support/crash.points.js';
import { crashRounds, SEED } from './support/crash.rounds.js';
import { lostAt } from './support/lost.process.js';
import { sqlOn } from './support/sql.js';

let database: FreshDatabase;
let app: GovernedApp;
beforeEach(async () => {
  database = await freshDatabase(await migratedTemplate());
  await sql('create table effect (order_id integer)');
});
afterEach(async () => {
  await app.close();
  await database.drop();
});

const sql = <T>(text: string): Promise<T[]> => sqlOn<T>(database.url, text);
const runsNow = () => sql<{ id: string; status: string }>('select id, status from gatehouse.agent_run');
const approvalsNow = async () =>
  (await sql<{ status: string }>('select status from gatehouse.approval_request')).map(({ status }) => status);

/** A run that waits for its one approval, whose process has gone in peace. */
async function suspendedRun(): Promise<string> {
  app = await actorOn(database.url);
  const { runId, outcome } = app.runner.start({ agent: 'actor', input: 'go', user: ANN });
  expect((await outcome).status).toBe('suspended');
  await app.close();
  return runId;
}

/** Another process finds what the lost one left, its lease over, until nothing more happens by itself. */
async function lookAfter(): Promise<void> {
  await sql("update gatehouse.agent_run set lease_until = now() - interval '1 second' where status = 'running'");
  app = await actorOn(database.url);
  const deadline = Date.now() + 20_000;
  while (!(await isQuiet())) {
    if (Date.now() > deadline) throw new Error(`Still not quiet: ${JSON.stringify(await runsNow())}`);
    await pause(20);
  }
  await sealedEvidence(sql);
}

async function isQuiet(): Promise<boolean> {
  const [run] = await runsNow();
  if (run?.status !== 'suspended') return run?.status !== 'running';
  return (await approvalsNow()).includes('pending');
}

const lastEvent = async (): Promise<string | undefined> => {
  const [row] = await sql<{ event: string }>('select event from gatehouse.run_event order by seq desc limit 1');
  return row === undefined ? undefined : (JSON.parse(row.event) as { type: string }).type;
};

const LAST = { none: undefined, interrupted: 'run.failed', suspended: 'run.suspended', completed: 'run.finished' };

/** What is true now, in the words of a crash point. */
async function found({ point, resuming, always }: CrashPoint): Promise<CrashPoint> {
  const [run] = await runsNow();
  const [approval] = await approvalsNow();
  const effects = (await sql('select from effect')).length;
  return { point, resuming, always, run: run?.status ?? 'none', approval: approval ?? 'none', effects } as CrashPoint;
}

describe.each(crashRounds())(`round $round (GATEHOUSE_SEED=${SEED})`, ({ losses }) => {
  it.each(losses)(
    '[350] [363] lost $point: run $run, approval $approval, $effects effects',
    async ({ standing, ...expected }) => {
      await lostAt(expected.point, database.url, expected.resuming ? await suspendedRun() : undefined, standing);
      await lookAfter();
      expect(await found(expected)).toEqual(expected);
      expect(await lastEvent()).toBe(LAST[expected.run]);
      const terminals = await sql<{ status: string }>('select status from gatehouse.terminal_record');
      const ended = expected.run === 'completed' || expected.run === 'interrupted';
      expect(terminals).toEqual(ended ? [{ status: expected.run }] : []);
    },
    60_000,
  );
});

it('[350] a call that was approved before its run was suspended runs, though the process was lost in between', async () => {
  await lostAt('before suspend', database.url);
  app = await actorOn(database.url);
  const [approval] = (await app.approvals.list()).items;
  await app.approvals.decide(approval?.id ?? '', { approved: true, by: ANN });
  await app.close();
  await lookAfter();
  expect(await runsNow()).toMatchObject([{ status: 'completed' }]);
  expect(await approvalsNow()).toEqual(['done']);
  expect(await sql('select order_id from effect')).toEqual([{ order_id: 7 }]);
  // What the run spent is told as if nothing had happened.
  expect(await sql('select tool_calls from gatehouse.terminal_record')).toEqual([{ tool_calls: 1 }]);
}, 60_000);
