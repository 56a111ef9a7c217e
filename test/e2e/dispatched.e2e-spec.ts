import { TypeOrmModule } from '@nestjs/typeorm';
import { Injectable, Module } from '@nestjs/common';
import { AuditTrail, RunDispatcher, RunFeed } from 'nest-gatehouse';
import { says, scriptedExecutor, type ExecutorLine } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asks, eventsIn, get, jsonIn, post, problemIn, statusOf, typesOf } from './support/client.js';
import { DeskAgent, openDesk, type Desk } from './support/desk.app.js';

/** A queue that nobody reads: what is handed over waits for ever. */
@Injectable()
class DeadQueue extends RunDispatcher {
  readonly handed: string[] = [];
  fails = false;

  override async dispatch(runId: string): Promise<void> {
    this.handed.push(runId);
    if (this.fails) throw new Error('The queue is away.');
  }
}

@Module({ providers: [DeadQueue, { provide: RunDispatcher, useExisting: DeadQueue }] })
class DeadQueueModule {}

it.each([
  [{ execute: 'elsewhere' as 'here' }, "runs.execute is 'elsewhere': write 'here' or 'dispatched'."],
  [{ startWithin: 0 }, 'runs.startWithin must be longer than 0.'],
])('%j is refused at boot', async (runs, problem) => {
  await expect(openDesk({ runs })).rejects.toThrow(problem);
});

describe('a queued run whose worker does not come', () => {
  let database: FreshDatabase;
  const desks: Desk[] = [];
  const open = async (
    startWithin: string,
    more: readonly (typeof DeadQueueModule)[] = [DeadQueueModule],
    lines: readonly ExecutorLine[] = [],
  ) => {
    const desk = await openDesk(
      { persistence: {}, runs: { lease: '2s', grace: 300, execute: 'dispatched', startWithin } },
      [TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }), ...more],
      // Before it boots: it may find runs at once.
      (app) => void (app.get(DeskAgent).script = scriptedExecutor(lines)),
    );
    desks.push(desk);
    return desk;
  };
  const ended = async (desk: Desk, runId: string): Promise<void> => {
    const signal = AbortSignal.timeout(20_000);
    for await (const _frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
    signal.throwIfAborted();
  };
  const terminals = async (desk: Desk, runId: string) =>
    (await desk.get(AuditTrail).terminals({ runId })).items.map(({ status, stage, source, error }) => ({
      status,
      stage,
      source,
      error,
    }));
  const idOf = (response: Response) => response.headers.get('gatehouse-run-id') ?? '';

  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await Promise.all(desks.splice(0).map((desk) => desk.close()));
    await database.drop();
  });

  it('is seen as queued, keeps its thread busy, and is handed over again and again', async () => {
    const desk = await open('15m');
    const input = asks('go');
    const response = await post(desk, 'runs', input);
    const runId = idOf(response);
    expect(await jsonIn(get(desk, 'runs?status=queued'))).toMatchObject({ items: [{ id: runId, status: 'queued' }] });
    expect(await problemIn(await post(desk, 'runs', asks('more', { threadId: input['threadId'] })))).toBe(
      '409 run_conflict',
    );
    const { handed } = desk.get(DeadQueue);
    while (handed.length < 3) await new Promise(setImmediate);
    expect(new Set(handed)).toEqual(new Set([runId]));
    await response.body?.cancel();
  });

  it('is cancelled by whoever may, and its client reads that', async () => {
    const desk = await open('15m');
    const response = await post(desk, 'runs', asks('go'));
    const answer = await post(desk, `runs/${idOf(response)}/cancel`, { reason: 'enough' });
    expect(await answer.json()).toEqual({ runId: idOf(response), status: 'cancelled' });
    const events = await eventsIn(response, { timeoutMs: 10_000 });
    expect(typesOf(events)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(events.at(-1)?.event['outcome']).toEqual({ type: 'cancelled' });
    expect(await terminals(desk, idOf(response))).toEqual([
      { status: 'cancelled', stage: 'executor', source: 'requested', error: 'RunCancelledError: requested: enough' },
    ]);
  });

  it('is cancelled when its client leaves', async () => {
    const desk = await open('15m');
    const leaving = new AbortController();
    const runId = idOf(await post(desk, 'runs', asks('go'), { signal: leaving.signal }));
    leaving.abort();
    await ended(desk, runId);
    expect(await terminals(desk, runId)).toMatchObject([{ status: 'cancelled', source: 'client disconnected' }]);
  });

  it('is closed as interrupted once runs.startWithin is over, and the record says why', async () => {
    const desk = await open('1s');
    const response = await post(desk, 'runs', asks('go'));
    const events = await eventsIn(response, { timeoutMs: 10_000 });
    expect(events.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'interrupted' });
    expect(await terminals(desk, idOf(response))).toEqual([
      {
        status: 'interrupted',
        stage: 'preparation',
        source: null,
        error: expect.stringContaining('No process began run') as string,
      },
    ]);
  });

  it('is found by a process that executes runs itself, where the queue had lost it', async () => {
    const desk = await open('15m');
    desk.get(DeadQueue).fails = true;
    const response = await post(desk, 'runs', asks('go'));
    await open('15m', [], [[says('Found.')]]);
    const events = await eventsIn(response, { timeoutMs: 20_000 });
    expect(events.at(-1)?.event['outcome']).toEqual({ type: 'success' });
    expect(await statusOf(desk, idOf(response))).toBe('completed');
  });

  it('a server that closes tells the client where the run is to be found, and leaves it queued', async () => {
    const [here, there] = [await open('15m'), await open('15m')];
    const response = await post(here, 'runs', asks('go'));
    await here.close();
    const events = await eventsIn(response, { timeoutMs: 10_000 });
    expect(events.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'shutting_down' });
    expect(await statusOf(there, idOf(response))).toBe('queued');
  });
});
