import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail, RunStreams } from 'nest-gatehouse';

import { Random } from '../chaos/random.js';
import { asks, fresh, get } from '../e2e/support/client.js';
import { DeskAgent, openDesk, type Desk } from '../e2e/support/desk.app.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { chatter } from './support/chatter.js';
import { FaultyProxy } from './support/faulty.proxy.js';
import { SteadfastReader, type Reading } from './support/steadfast.reader.js';
import { dataById } from './support/data.by.id.js';

/** `npm run soak:streams` plays 2,000; another seed plays another story. */
const RUNS = Number(process.env['STREAM_RUNS'] ?? 30);
const SEED = Number(process.env['STREAM_SEED'] ?? 20_260_101);
const AT_ONCE = 6;

describe.each(['continue', 'cancel'] as const)(
  'a line that cuts, stalls and goes half-open, where leaving means %s',
  (onDisconnect) => {
    let database: FreshDatabase;
    let desks: Desk[];
    let lines: FaultyProxy[];
    const random = new Random(onDisconnect === 'cancel' ? SEED : SEED + 1);
    beforeAll(async () => {
      database = await freshDatabase();
      const replica = async (): Promise<Desk> => {
        const desk = await openDesk(
          { persistence: {}, runs: { lease: '4s' }, streaming: { onDisconnect, heartbeat: 40 } },
          [TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true, extra: { max: 8 } })],
        );
        desk.get(DeskAgent).script = { requests: [], results: [], execute: (run) => chatter.execute(run) };
        return desk;
      };
      desks = [await replica(), await replica()];
      lines = await Promise.all(desks.map(({ url }) => FaultyProxy.to(url, random.fork())));
    }, 60_000);
    afterAll(async () => {
      for (const line of lines) await line.close();
      await Promise.all(desks.map((desk) => desk.close()));
      await database.drop();
    });

    const [first] = [0];

    /** One run and its readers: the one that starts it, and some that only read. */
    const play = async (dice: Random): Promise<{ readonly runId: string; readonly readings: readonly Reading[] }> => {
      const input = asks('go', { threadId: fresh(`story-${onDisconnect}`) });
      const segment = String(input['runId']);
      const anyLine = (): string => dice.pick(lines).url;
      const starter = new SteadfastReader(anyLine, segment, input).read();
      const others = Array.from({ length: dice.below(3) }, () => new SteadfastReader(anyLine, segment).read());
      const readings = await Promise.all([starter, ...others]);
      const answer = await get(desks[first] as Desk, `runs/${segment}/events`);
      return { runId: answer.headers.get('gatehouse-run-id') ?? '', readings };
    };

    it(
      `each reader's events are the stored ones, each run has one terminal record, and it tells what happened (${RUNS / 2} runs)`,
      async () => {
        const found: string[] = [];
        let left = Math.ceil(RUNS / 2);
        const worker = async (dice: Random): Promise<void> => {
          for (; left > 0;) {
            left -= 1;
            const { runId, readings } = await play(dice);
            const stored = await dataById(await get(desks[first] as Desk, `runs/${runId}/events`));
            for (const { events, wrong } of readings) {
              expect(wrong).toEqual([]);
              expect([...events]).toEqual([...stored]);
            }
            const terminals = (await (desks[first] as Desk).get(AuditTrail).terminals({ runId })).items;
            expect(terminals).toHaveLength(1);
            const [{ status, source } = { status: '', source: '' }] = terminals;
            const lastWord = JSON.parse([...stored.values()].at(-1) ?? '{}') as { outcome?: { type?: string } };
            expect(lastWord.outcome?.type).toBe(status === 'completed' ? 'success' : 'cancelled');
            found.push(`${status} ${source}`);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, () => worker(random.fork())));
        expect(new Set(found)).toEqual(
          new Set(
            onDisconnect === 'continue' ? ['completed null'] : ['completed null', 'cancelled client disconnected'],
          ),
        );
        expect(found).toHaveLength(Math.ceil(RUNS / 2));
        // The line really failed, in every way there is.
        for (const kind of ['cut', 'stall', 'client gone', 'server gone'] as const)
          expect(lines.reduce((sum, { happened }) => sum + happened[kind], 0)).toBeGreaterThan(0);
      },
      Math.max(120_000, RUNS * 2_000),
    );

    it('leaves no stream behind once the lines are gone', async () => {
      for (const line of lines) await line.close();
      lines = [];
      for (const desk of desks) while (desk.get(RunStreams).count > 0) await new Promise(setImmediate);
      expect(desks.map((desk) => desk.get(RunStreams).count)).toEqual([0, 0]);
    }, 60_000);
  },
);
