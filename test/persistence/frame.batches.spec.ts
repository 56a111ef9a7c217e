import { LeaseLostError } from '../../libs/gatehouse/src/contracts/errors/lease-lost.error.js';
import { fenceOf, running } from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { textFrames } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

describe('the events of many runs that speak at once', () => {
  let test: OpenedDatabase;
  beforeEach(async () => (test = await openDatabase()));
  afterEach(() => test.close());

  it('are stored together, in order, and each run hears what became of its own', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => running(test)));
    const [lost, odd, ...others] = runs;
    if (lost === undefined || odd === undefined) throw new Error('There are twenty.');
    await test.store.appendFrames(fenceOf(odd), textFrames(2));
    const [said] = textFrames(2);
    const other = { ...said, seq: 2, event: { type: 'text.delta', messageId: 'm', delta: 'something else' } } as const;
    const told = await Promise.allSettled([
      test.store.appendFrames({ ...fenceOf(lost), epoch: 9 }, textFrames(2)),
      test.store.appendFrames(fenceOf(odd), [other]),
      test.store.appendFrames({ runId: 'no id', epoch: 1 }, textFrames(2)),
      // Twice for one run: the later ones wait for the next batch.
      ...others.flatMap((run) => [2, 3].map((seq) => test.store.appendFrames(fenceOf(run), textFrames(seq)))),
    ]);
    const [first, second, third, ...rest] = told.map((one): unknown =>
      one.status === 'rejected' ? one.reason : one.status,
    );
    expect([first, second, third]).toEqual([
      expect.any(LeaseLostError),
      expect.any(RangeError),
      expect.any(LeaseLostError),
    ]);
    expect(new Set(rest)).toEqual(new Set(['fulfilled']));
    for (const run of others) {
      expect((await test.reader.frames(run.id, 1, 10)).frames).toEqual(textFrames(2, 3));
      expect((await test.reader.run(run.id))?.lastSeq).toBe(3);
    }
    expect((await test.reader.frames(lost.id, 1, 10)).frames).toEqual([]);
    expect((await test.reader.frames(odd.id, 1, 10)).frames).toEqual(textFrames(2));
  });

  it('take few statements, however many they are', async () => {
    const runs = await Promise.all(Array.from({ length: 30 }, () => running(test)));
    const commits = async (): Promise<number> => {
      const [row] = await test.source.query<{ n: string }[]>('SELECT pg_current_xact_id()::text AS n');
      return Number(row?.n);
    };
    const before = await commits();
    await Promise.all(runs.map((run) => test.store.appendFrames(fenceOf(run), textFrames(2, 3))));
    // The two that ask are counted too.
    expect((await commits()) - before).toBeLessThanOrEqual(4);
  });
});
