import { TypeOrmModule } from '@nestjs/typeorm';
import { RunStreams } from 'nest-gatehouse';

import { Random } from '../chaos/random.js';
import { DeskAgent, openDesk, type Desk } from '../e2e/support/desk.app.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { chatter } from './support/chatter.js';
import { storyOf, type FaultStory } from './support/fault.story.js';
import { FaultyProxy, type Fault } from './support/faulty.proxy.js';
import { StoryChecks } from './support/story.checks.js';
import { StoryPlayer, type Played } from './support/story.player.js';
import { StoryTally } from './support/story.tally.js';

/** `npm run soak:streams` plays 2,000; another seed plays other stories. With one run, both halves play the story of the seed. */
const RUNS = Number(process.env['STREAM_RUNS'] ?? 160);
const SEED = Number(process.env['STREAM_SEED'] ?? 20_260_101);
const EACH = Math.ceil(RUNS / 2);
const AT_ONCE = 6;
/** More would say the same. */
const MOST_FAULTS = 3;
const KINDS: readonly Fault['kind'][] = ['cut', 'stall', 'client gone', 'server gone'];

describe.each([
  ['continue', SEED],
  ['cancel', SEED + Math.floor(RUNS / 2)],
] as const)('a line that cuts, stalls and goes half-open, where leaving means %s', (onDisconnect, firstSeed) => {
  let database: FreshDatabase;
  let desks: Desk[];
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
  }, 60_000);
  afterAll(async () => {
    await Promise.all(desks.map((desk) => desk.close()));
    await database.drop();
  });

  /** Each story has lines of its own, which fail as its seed says. */
  const play = async (story: FaultStory, tally: StoryTally): Promise<Played> => {
    const dice = new Random(story.seed ^ 0x2545f491);
    const lines = await Promise.all(desks.map(({ url }) => FaultyProxy.to(url, dice.fork())));
    try {
      return await new StoryPlayer(story, desks, lines).play();
    } finally {
      for (const line of lines) {
        tally.lines(line.happened);
        await line.close();
      }
    }
  };

  const replay = (story: FaultStory, faults: readonly string[]): string =>
    `STREAM_SEED=${story.seed} STREAM_RUNS=1 npm run soak:streams (${onDisconnect})\n${JSON.stringify(story)}\n${faults.join('\n')}`;

  it(
    `each reader's events are the stored ones, each call is decided and executed once, each run has one terminal record (${EACH} runs)`,
    async () => {
      const failed: string[] = [];
      const tally = new StoryTally();
      let next = firstSeed;
      const worker = async (): Promise<void> => {
        for (; next < firstSeed + EACH && failed.length < MOST_FAULTS;) {
          const story = storyOf((next += 1) - 1);
          try {
            const played = await play(story, tally);
            const checks = new StoryChecks(story, played, desks, onDisconnect);
            tally.story(story, played, await checks.ending());
            if (checks.faults.length > 0) failed.push(replay(story, [...checks.faults, checks.outline]));
          } catch (error) {
            failed.push(replay(story, [error instanceof Error ? (error.stack ?? error.message) : String(error)]));
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(failed.join('\n\n')).toBe('');
      process.stdout.write(`${onDisconnect}: ${tally.toString()}\n`);
      expect(tally.runs).toBe(EACH);
      if (EACH < 50) return;
      // The line really failed, in every way there is, and everything that stories are made of has happened.
      for (const kind of KINDS) expect(tally.faults[kind]).toBeGreaterThan(0);
      expect(tally.missing(onDisconnect)).toEqual([]);
    },
    Math.max(120_000, RUNS * 2_000),
  );

  it('leaves no stream behind once the lines are gone', async () => {
    for (const desk of desks) while (desk.get(RunStreams).count > 0) await new Promise(setImmediate);
    expect(desks.map((desk) => desk.get(RunStreams).count)).toEqual([0, 0]);
  }, 60_000);
});
