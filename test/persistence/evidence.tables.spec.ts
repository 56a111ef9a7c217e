import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { anEnding, anExecution, anOperation } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { fenceOf, waiting } from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

const LEDGERS = ['tool_execution', 'operation', 'terminal_record', 'approval_event'];

describe('evidence in Postgres', () => {
  let test: OpenedDatabase;
  beforeAll(async () => {
    test = await openDatabase();
    const { run } = await waiting(test);
    await test.source.query(`DELETE FROM gatehouse.approval_request`);
    await test.store.finish(
      fenceOf(run),
      anEnding(run, { operations: [anOperation(run)], audit: anExecution(run) }),
      [],
    );
  });
  afterAll(() => test.close());

  it.each(LEDGERS)('%s refuses UPDATE, DELETE and TRUNCATE, also to a superuser in replica mode', async (table) => {
    for (const role of ['origin', 'replica']) {
      const runner = test.source.createQueryRunner();
      await runner.query(`SET session_replication_role = ${role}`);
      for (const change of [
        `UPDATE gatehouse.${table} SET run_id = run_id`,
        `DELETE FROM gatehouse.${table}`,
        `TRUNCATE gatehouse.${table}`,
      ]) {
        await expect(runner.query(change)).rejects.toMatchObject({ driverError: { code: '23001' } });
      }
      await runner.query('SET session_replication_role = origin');
      await runner.release();
    }
    expect(await test.source.query(`SELECT count(*)::integer AS count FROM gatehouse.${table}`)).toEqual([
      { count: 1 },
    ]);
  });

  it('has one terminal record per run, by the database itself', async () => {
    const [row] = await test.source.query<{ run_id: string }[]>('SELECT run_id FROM gatehouse.terminal_record');
    const again = test.source.query(
      `INSERT INTO gatehouse.terminal_record SELECT $1, run_id, thread_id, agent, status, stage, error, source, reason, organization_id,
        principal_id, parent_run_id, parent_operation_id, failed_operation_ids, requests, tool_calls, input_tokens, output_tokens,
        started_at, finished_at FROM gatehouse.terminal_record WHERE run_id = $2`,
      [newId(), row?.run_id],
    );
    await expect(again).rejects.toMatchObject({ driverError: { code: '23505', constraint: 'terminal_record_run' } });
  });

  it('is read by views that act with the rights of who asks, and show nothing exact', async () => {
    const views = await test.source.query<{ relname: string; reloptions: string[] }[]>(
      `SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'gatehouse'::regnamespace AND relkind = 'v' ORDER BY relname`,
    );
    expect(views).toEqual([
      { relname: 'approval', reloptions: ['security_invoker=true'] },
      { relname: 'run_timeline', reloptions: ['security_invoker=true'] },
    ]);
    const { approvalId } = await waiting(test);
    const [shown] = await test.source.query<object[]>('SELECT * FROM gatehouse.approval WHERE id = $1', [approvalId]);
    expect(JSON.stringify(shown)).not.toContain('s3');
    expect(Object.keys(shown ?? {})).not.toEqual(expect.arrayContaining(['received']));
    expect(Object.keys(shown ?? {})).not.toEqual(expect.arrayContaining(['validated']));
  });

  it('keeps every good record of a batch and drops the one the database refuses', async () => {
    const run = { id: newId(), threadId: 'thread' };
    const good = Array.from({ length: 9 }, () => anExecution(run));
    const poison = [
      anExecution(run, { operationId: 'no uuid' }),
      anExecution(run, { startedAt: new Date(Number.NaN) }),
    ];
    await test.evidence.appendExecutions([...good.slice(0, 4), ...poison, ...good.slice(4)]);
    const { items } = await test.evidence.executions({ runId: run.id });
    expect(items.map(({ id }) => id)).toEqual(good.map(({ id }) => id).toReversed());
    await test.evidence.appendOperations([anOperation(run, { position: 2 ** 40 }), anOperation(run)]);
    expect((await test.evidence.operations({ runId: run.id })).items).toHaveLength(1);
  });

  it('takes more records than a statement has parameters', async () => {
    const run = { id: newId(), threadId: 'thread' };
    await test.evidence.appendExecutions(Array.from({ length: 5000 }, () => anExecution(run)));
    expect(
      await test.source.query('SELECT count(*)::integer AS count FROM gatehouse.tool_execution WHERE run_id = $1', [
        run.id,
      ]),
    ).toEqual([{ count: 5000 }]);
  });
});
