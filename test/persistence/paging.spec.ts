import { v7 } from 'uuid';
import { PostgresLogSource } from '../../libs/gatehouse/src/persistence/postgres/ledger/postgres.log.source.js';
import { anExecution } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

const RECORDS = 10_000;

describe('ten thousand records of one millisecond', () => {
  let test: OpenedDatabase;
  const run = { id: newId(), threadId: 'thread' };
  const at = new Date('2026-06-15T12:00:00.123Z');
  const ids = Array.from({ length: RECORDS }, (_, seq) => v7({ msecs: at.getTime(), seq }));

  beforeAll(async () => {
    test = await openDatabase();
    const entries = ids.map((id) => executionEntry({ ...anExecution(run), id, startedAt: at, finishedAt: at }));
    for (let from = 0; from < RECORDS; from += 1000) await test.evidence.append(entries.slice(from, from + 1000));
  });
  afterAll(() => test.close());

  it.each([7, 500])('are paged by %i newest first, each once', async (limit) => {
    const seen: string[] = [];
    let cursor: string | undefined;
    // Small pages only until the pattern is plain: each is a statement.
    const most = limit * 200;
    do {
      const page = await test.evidence.executions({
        runId: run.id,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && seen.length < most);
    expect(seen).toEqual(ids.toReversed().slice(0, Math.min(most, RECORDS)));
  });

  it('are exported oldest first, each once', async () => {
    const seen: string[] = [];
    for await (const { record } of new PostgresLogSource(test.database).records({ runId: run.id }))
      seen.push(record.id);
    expect(seen).toEqual(ids);
  });
});
