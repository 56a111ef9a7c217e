import { v7 } from 'uuid';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { anEnding, anExecution, anOperation } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { fenceOf, waiting } from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { operationEntry } from '../../libs/gatehouse/src/values/ledger/operation.entry.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

const SEALED = ['audit_log', 'audit_payload', 'audit_batch'];
const ENDED = new Date('2026-03-04T05:06:07.089Z');

describe('evidence in Postgres', () => {
  let test: OpenedDatabase;
  let runId: string;
  const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> => test.source.query<Row[]>(text, values);

  beforeAll(async () => {
    test = await openDatabase();
    const { run } = await waiting(test);
    runId = run.id;
    await test.store.finish(
      fenceOf(run),
      anEnding(run, { operations: [anOperation(run)], audit: anExecution(run) }),
      [],
    );
  });
  afterAll(() => test.close());

  it('has each fact in the outbox until it is sealed, and reads it from either place as one', async () => {
    const kinds = [
      'run.started',
      'approval.requested',
      'approval.decided',
      'operation.finished',
      'run.terminal',
      'run.audit',
    ];
    const before = await sql<{ kind: string }>('SELECT kind FROM gatehouse.evidence_outbox ORDER BY ordinal');
    expect(before.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(kinds.filter((kind) => kind !== 'run.audit')),
    );
    const read = async () => [
      (await test.evidence.operations({ runId })).items,
      (await test.evidence.executions({ runId })).items,
      (await test.evidence.terminals({ runId })).items,
      await test.evidence.timeline(runId),
    ];
    const unsealed = await read();
    expect(await test.evidence.moveFacts()).toBe(before.length);
    expect(await test.evidence.moveFacts()).toBe(0);
    expect(await sql('SELECT FROM gatehouse.evidence_outbox')).toEqual([]);
    expect(await read()).toEqual(unsealed);
    const shown = await sql<{ kind: string }>(
      'SELECT kind FROM gatehouse.run_timeline WHERE run_id = $1 ORDER BY at, rank, id',
      [runId],
    );
    expect(shown.map(({ kind }) => kind)).toEqual((await test.evidence.timeline(runId)).map(({ kind }) => kind));
  });

  it.each(SEALED)('%s refuses UPDATE, DELETE and TRUNCATE, also to a superuser in replica mode', async (table) => {
    const partitions = await sql<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass
        AND EXISTS (SELECT FROM pg_class WHERE oid = inhrelid AND pg_relation_size(oid) > 0)`,
      [`gatehouse.${table}`],
    );
    const column = table === 'audit_payload' ? 'salt' : 'writer_id';
    for (const name of [`gatehouse.${table}`, ...partitions.map((partition) => partition.name)]) {
      for (const role of ['origin', 'replica']) {
        const runner = test.source.createQueryRunner();
        await runner.query(`SET session_replication_role = ${role}`);
        for (const change of [`UPDATE ${name} SET ${column} = ${column}`, `DELETE FROM ${name}`, `TRUNCATE ${name}`]) {
          await expect(runner.query(change)).rejects.toMatchObject({ driverError: { code: '23001' } });
        }
        await runner.query('SET session_replication_role = origin');
        await runner.release();
      }
    }
  });

  it('lets a payload go once an erasure that covers it is recorded, and reads it as erased', async () => {
    const run = { id: newId(), threadId: 'thread' };
    const event = anExecution(run, { success: false, error: 'TypeError: no', resultSize: null });
    await test.evidence.append([executionEntry(event)]);
    const erase = () => sql('DELETE FROM gatehouse.audit_payload WHERE id = $1', [event.id]);
    await expect(erase()).rejects.toMatchObject({ driverError: { code: '23001' } });
    await test.evidence.append([
      { record: { id: newId(), kind: 'erased', at: new Date(), runId: run.id, amount: 1 }, payload: null },
    ]);
    await erase();
    const [read] = (await test.evidence.executions({ runId: run.id })).items;
    expect(read).toEqual({ ...event, argumentsRepr: '[erased]', error: '[erased]', ipAddress: '[erased]' });
    expect(await sql('SELECT arguments_repr, error FROM gatehouse.tool_execution WHERE id = $1', [event.id])).toEqual([
      { arguments_repr: '[erased]', error: '[erased]' },
    ]);
  });

  it('makes the month of a record that has none, once, whoever asks', async () => {
    const at = new Date('2024-02-29T23:59:59.999Z');
    const ids = [at.getTime(), at.getTime() + 1].map((msecs) => v7({ msecs }));
    const run = { id: newId(), threadId: 'thread' };
    await Promise.all(ids.map((id) => test.evidence.append([executionEntry({ ...anExecution(run), id })])));
    const months = await sql(
      `SELECT tableoid::regclass::text AS month FROM gatehouse.audit_log WHERE run_id = $1 ORDER BY id`,
      [run.id],
    );
    expect(months).toEqual([{ month: 'gatehouse.audit_log_202402' }, { month: 'gatehouse.audit_log_202403' }]);
  });

  it('is read by views that act with the rights of who asks, and show nothing exact', async () => {
    const views = await sql<{ relname: string; reloptions: string[] }>(
      `SELECT relname, reloptions FROM pg_class WHERE relnamespace = 'gatehouse'::regnamespace AND relkind = 'v' ORDER BY relname`,
    );
    const names = ['approval', 'operation', 'run_timeline', 'terminal_record', 'tool_execution'];
    expect(views).toEqual(names.map((relname) => ({ relname, reloptions: ['security_invoker=true'] })));
    const { approvalId } = await waiting(test);
    const [shown] = await sql<object>('SELECT * FROM gatehouse.approval WHERE id = $1', [approvalId]);
    expect(JSON.stringify(shown)).not.toContain('s3');
    expect(Object.keys(shown ?? {})).not.toEqual(expect.arrayContaining(['received']));
    expect(Object.keys(shown ?? {})).not.toEqual(expect.arrayContaining(['validated']));
  });

  it('is read through view entities as through the trail', async () => {
    const run = { id: newId(), threadId: 'thread' };
    const [execution, operation] = [anExecution(run), anOperation(run, { finishedAt: ENDED })];
    await test.evidence.append([executionEntry(execution), operationEntry(operation)]);
    const one = async (name: string) =>
      (await test.source.getRepository(`gatehouse.${name}`).find({ where: { run_id: run.id } }))[0];
    expect(await one('tool_execution')).toMatchObject({
      id: execution.id,
      duration_ms: execution.durationMs,
      success: true,
      arguments_repr: execution.argumentsRepr,
      finished_at: execution.finishedAt,
    });
    expect(await one('operation')).toMatchObject({ id: operation.id, status: operation.status, finished_at: ENDED });
  });

  it('keeps every good record of a batch and drops the one the database refuses', async () => {
    const run = { id: newId(), threadId: 'thread' };
    const good = Array.from({ length: 9 }, () => anExecution(run));
    const poison = [
      anExecution(run, { operationId: 'no uuid' }),
      anExecution(run, { startedAt: new Date(Number.NaN) }),
    ];
    await test.evidence.append([...good.slice(0, 4), ...poison, ...good.slice(4)].map(executionEntry));
    const { items } = await test.evidence.executions({ runId: run.id });
    expect(items.map(({ id }) => id)).toEqual(good.map(({ id }) => id).toReversed());
    await test.evidence.append([anOperation(run, { position: 2 ** 40 }), anOperation(run)].map(operationEntry));
    expect((await test.evidence.operations({ runId: run.id })).items).toHaveLength(1);
  });

  it('takes more records than a statement has parameters', async () => {
    const run = { id: newId(), threadId: 'thread' };
    await test.evidence.append(Array.from({ length: 5000 }, () => anExecution(run)).map(executionEntry));
    expect(
      await test.source.query('SELECT count(*)::integer AS count FROM gatehouse.tool_execution WHERE run_id = $1', [
        run.id,
      ]),
    ).toEqual([{ count: 5000 }]);
  });
});
