import { DataSource } from 'typeorm';
import { Database } from '../../libs/gatehouse/src/persistence/postgres/database.js';
import { PostgresEvidenceLog } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { PostgresEvidenceStore } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.store.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { gatehouseMigrations } from '../../migrations/index.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';

const AT = '2026-10-31T23:59:59.999Z';

describe('records of the first cut', () => {
  let database: FreshDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await freshDatabase();
    source = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('become facts of the sealed log, as they were', async () => {
    const runner = source.createQueryRunner();
    await runner.query('CREATE SCHEMA gatehouse');
    const [ledger, ...before] = gatehouseMigrations('gatehouse').toReversed();
    for (const Migration of before.toReversed()) await new Migration().up(runner);
    const [runId, executionId, operationId, terminalId] = [newId(), newId(), newId(), newId()];
    await runner.query(
      `INSERT INTO gatehouse.tool_execution VALUES ($1, 'tool', 'refund', '{"order":1}', 12.5, false, 'TypeError: no', NULL, 'acme', 'order', '1',
        '10.0.0.1', $2, 'thread', $3, 'ann', false, $4, $4)`,
      [executionId, runId, operationId, AT],
    );
    await runner.query(
      `INSERT INTO gatehouse.operation (id, run_id, thread_id, step, position, kind, tool_name, tool_call_id, arguments_repr, arguments_digest, status,
        outcome, execution_started, decided_by, reason, shadowed, organization_id, principal_id, started_at, finished_at, duration_ms)
        VALUES ($1, $2, 'thread', 1, 0, 'tool', 'refund', 'call-1', '{"order":1}', 'digest', 'failed', 'failed', true, 'policy', 'because',
          '[{"hook":"Loop","decision":"skip"}]', 'acme', 'ann', $3, $3, 13)`,
      [operationId, runId, AT],
    );
    await runner.query(
      `INSERT INTO gatehouse.terminal_record VALUES ($1, $2, 'thread', 'support', 'failed', 'execution', 'TypeError: no', NULL, NULL, 'acme', 'ann', NULL,
        NULL, ARRAY[$3::uuid], 2, 1, 10, 20, $4, $4)`,
      [terminalId, runId, operationId, AT],
    );
    if (ledger === undefined) throw new Error('There is no migration of the ledger.');
    await new ledger().up(runner);
    await runner.release();

    const opened = new Database(source, 'gatehouse');
    const log = new PostgresEvidenceLog(opened);
    const store = new PostgresEvidenceStore(opened, log);
    const read = async () => [
      ...(await store.executions({ runId })).items,
      ...(await store.operations({ runId })).items,
      ...(await store.terminals({ runId })).items,
    ];
    const common = {
      runId,
      threadId: 'thread',
      organizationId: 'acme',
      principalId: 'ann',
      startedAt: new Date(AT),
      finishedAt: new Date(AT),
    };
    const kept = [
      {
        ...common,
        id: executionId,
        kind: 'tool',
        toolName: 'refund',
        argumentsRepr: '{"order":1}',
        durationMs: 12.5,
        error: 'TypeError: no',
        ipAddress: '10.0.0.1',
      },
      {
        ...common,
        id: operationId,
        status: 'failed',
        decidedBy: 'policy',
        reason: 'because',
        shadowed: [{ hook: 'Loop', decision: 'skip' }],
      },
      {
        ...common,
        id: terminalId,
        status: 'failed',
        failedOperationIds: [operationId],
        usage: { requests: 2, toolCalls: 1, inputTokens: 10, outputTokens: 20 },
      },
    ];
    expect(await read()).toMatchObject(kept);
    while ((await store.moveFacts()) > 0);
    expect(await read()).toMatchObject(kept);
    expect(await source.query('SELECT FROM gatehouse.evidence_outbox')).toEqual([]);
    expect(await source.query('SELECT count(*)::integer AS count FROM gatehouse.tool_execution')).toEqual([
      { count: 1 },
    ]);
    await log.close(1000);
  });
});
