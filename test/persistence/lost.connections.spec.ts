import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { StorageUnavailableError } from '../../libs/gatehouse/src/contracts/errors/storage-unavailable.error.js';
import type { StoredRun } from '../../libs/gatehouse/src/contracts/ports/stored.run.js';
import { Database } from '../../libs/gatehouse/src/persistence/postgres/database.js';
import { gatehouseEntities } from '../../libs/gatehouse/src/persistence/postgres/gatehouse.entities.js';
import { PostgresRunStore } from '../../libs/gatehouse/src/persistence/postgres/postgres.run.store.js';
import {
  anApproval,
  anEnding,
  anOperation,
  aRun,
  aStep,
  counters,
  ME,
  progress,
  startedFrame,
  textFrames,
  userMessage,
  yes,
} from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import {
  claimOf,
  fenceOf,
  resume,
  running,
  suspended,
  suspendNow,
  waiting,
} from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { CuttingProxy } from './cutting.proxy.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

describe('a connection that is lost', () => {
  let test: OpenedDatabase;
  let proxy: CuttingProxy;
  let source: DataSource;
  let cut: PostgresRunStore;

  beforeAll(async () => {
    test = await openDatabase();
    proxy = await CuttingProxy.open(test.url);
    const options = { type: 'postgres', url: proxy.url, poolSize: 3, entities: gatehouseEntities() } as const;
    source = await new DataSource({ ...options, poolErrorHandler: () => undefined }).initialize();
    cut = new PostgresRunStore(new Database(source, 'gatehouse'));
  });
  afterAll(async () => {
    await source.destroy();
    await proxy.close();
    await test.close();
  });

  const count = async (table: string, runId: string): Promise<number> => {
    await test.evidence.moveFacts();
    const [row] = await test.source.query<{ count: number }[]>(
      `SELECT count(*)::integer AS count FROM gatehouse.${table} WHERE run_id = $1`,
      [runId],
    );
    return row?.count ?? 0;
  };
  const approved = async (): ReturnType<typeof waiting> => {
    const scene = await waiting(test);
    await test.store.vote([yes(scene.approvalId)]);
    return scene;
  };

  describe.each(['before commit', 'after commit'] as const)(
    '[363] %s costs nothing and does nothing twice',
    (where) => {
      beforeEach(() => {
        proxy.cuts = 0;
      });
      afterEach(() => expect(proxy.cuts).toBe(1));

      it('startRun', async () => {
        const run = aRun();
        proxy.cut = where;
        const result = await cut.startRun(run, [userMessage('hello')], [startedFrame(run)], ME);
        expect(result).toEqual({ started: await test.reader.run(run.id) });
        expect(await count('thread_message', run.id)).toBe(1);
        expect(await count('run_event', run.id)).toBe(1);
      });

      it('appendFrames', async () => {
        const run = await running(test);
        proxy.cut = where;
        proxy.statement = 'written AS';
        await cut.appendFrames(fenceOf(run), textFrames(2));
        proxy.statement = undefined;
        expect((await test.reader.frames(run.id, 1, 10)).frames).toEqual(textFrames(2));
      });

      it('startStep', async () => {
        const run = await running(test);
        proxy.cut = where;
        await cut.startStep(fenceOf(run), aStep(run), counters(1), textFrames(2));
        expect(await count('run_step', run.id)).toBe(1);
        expect((await test.reader.run(run.id))?.lastSeq).toBe(2);
      });

      it('settleStep', async () => {
        const run = await running(test);
        const changes = progress(aStep(run), { operations: [anOperation(run)] });
        proxy.cut = where;
        await cut.settleStep(fenceOf(run), changes, textFrames(2));
        expect(await test.reader.messages(run.threadId)).toEqual(changes.messages);
        expect(await count('operation', run.id)).toBe(1);
      });

      it('requestApproval', async () => {
        const run = await running(test);
        proxy.cut = where;
        expect(await cut.requestApproval(fenceOf(run), anApproval(run))).toMatchObject({ status: 'pending' });
        expect(await count('approval_request', run.id)).toBe(1);
      });

      it('vote', async () => {
        const { run, approvalId } = await suspended(test);
        proxy.cut = where;
        const result = await cut.vote([yes(approvalId)]);
        expect(result).toMatchObject({
          accepted: true,
          ready: [run.id],
          votes: [{ approval: { status: 'approved' } }],
        });
        expect((await test.reader.approval(approvalId))?.votes).toHaveLength(1);
      });

      it('settle', async () => {
        const { run, approvalId } = await approved();
        await test.store.claim(fenceOf(run), claimOf(approvalId));
        proxy.cut = where;
        await cut.settle(fenceOf(run), approvalId, { status: 'completed', outcome: 'success', content: 'ok' });
        expect((await test.reader.approval(approvalId))?.status).toBe('done');
      });

      it('claim', async () => {
        const { run, approvalId } = await approved();
        proxy.cut = where;
        expect(await cut.claim(fenceOf(run), claimOf(approvalId))).toBe('claimed');
        expect((await test.reader.approval(approvalId))?.status).toBe('executing');
      });

      it('suspend', async () => {
        const { run } = await waiting(test);
        proxy.cut = where;
        expect(await suspendNow({ ...test, store: cut }, run)).toBe('suspended');
        expect(await test.reader.messages(run.threadId)).toHaveLength(1);
      });

      it('takeOver', async () => {
        const { run, approvalId } = await suspended(test);
        await test.store.vote([yes(approvalId)]);
        proxy.cut = where;
        expect(await cut.takeOver(resume(run.id), ME)).toMatchObject({ taken: { id: run.id, epoch: 2 } });
      });

      it('finish', async () => {
        const run = await running(test);
        proxy.cut = where;
        expect(await cut.finish(fenceOf(run), anEnding(run, { messages: [userMessage('bye')] }), textFrames(2))).toBe(
          true,
        );
        expect(await count('terminal_record', run.id)).toBe(1);
        expect(await test.reader.messages(run.threadId)).toHaveLength(1);
      });
    },
  );

  it('for longer is one clear error without the words of the driver, and the pool recovers', async () => {
    const run = await running(test);
    proxy.goAway();
    const failure: unknown = await cut.appendFrames(fenceOf(run), textFrames(2)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailableError);
    expect((failure as Error).message).toBe(
      'The store could not store the events of a run. Check the database connection.',
    );
    expect((failure as Error).cause).toBeInstanceOf(Error);
    proxy.comeBack();
    await cut.appendFrames(fenceOf(run), textFrames(2));
    expect((await test.reader.run(run.id))?.lastSeq).toBe(2);
  });

  it('under a waiting transaction is tried again once, then said', async () => {
    const run = await running(test);
    const release = await lockRun(run.id);
    const once = test.store.appendFrames(fenceOf(run), textFrames(2));
    await killWaiting();
    await waitForWaiting();
    await release();
    await once;
    expect((await test.reader.run(run.id))?.lastSeq).toBe(2);

    const releaseAgain = await lockRun(run.id);
    const twice = test.store.appendFrames(fenceOf(run), textFrames(3)).catch((error: unknown) => error);
    await killWaiting();
    await killWaiting();
    expect(await twice).toBeInstanceOf(StorageUnavailableError);
    await releaseAgain();
    expect((await test.reader.run(run.id))?.lastSeq).toBe(2);
  });

  it('or never answers, fails the call at its deadline', async () => {
    const run = await running(test);
    const release = await lockRun(run.id);
    const hasty = new PostgresRunStore(new Database(test.source, 'gatehouse', 100));
    const failure: unknown = await hasty.appendFrames(fenceOf(run), textFrames(2)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailableError);
    expect((failure as Error).cause).toEqual(new Error('No answer within 100 ms.'));
    await release();
  });

  // Each look on a connection outside any transaction: inside one, Postgres shows the activity of its first look for ever.
  const watch = async <T>(look: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: test.url });
    await client.connect();
    return look(client).finally(() => client.end());
  };

  const lockRun = async (runId: string): Promise<() => Promise<void>> => {
    const client = new Client({ connectionString: test.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM gatehouse.agent_run WHERE id = $1 FOR UPDATE', [runId]);
    return () => client.end();
  };

  const waitForWaiting = (): Promise<number> =>
    watch(async (client) => {
      for (;;) {
        const { rows } = await client.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        if (rows[0] !== undefined) return rows[0].pid;
      }
    });

  const killWaiting = async (): Promise<void> => {
    const pid = await waitForWaiting();
    await watch(async (client) => {
      await client.query('SELECT pg_terminate_backend($1)', [pid]);
      for (;;) if ((await client.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 0) return;
    });
  };
});

describe('a pool of two', () => {
  it('serves twenty transactions at once, each of which needs only one connection', async () => {
    const test = await openDatabase({ poolSize: 2 });
    const runs = await Promise.all(Array.from({ length: 20 }, () => running(test)));
    const work = async (run: StoredRun): Promise<string> => {
      const approval = await test.store.requestApproval(fenceOf(run), anApproval(run));
      await test.store.vote([yes(approval.id)]);
      await test.store.claim(fenceOf(run), claimOf(approval.id));
      await test.store.finish(fenceOf(run), anEnding(run), textFrames(2));
      return (await test.reader.approval(approval.id))?.status ?? '';
    };
    expect(await Promise.all(runs.map(work))).toEqual(runs.map(() => 'unknown'));
    await test.close();
  });
});
