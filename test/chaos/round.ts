import { setTimeout as pause } from 'node:timers/promises';
import { sqlOn } from '../conformance/support/sql.js';
import { freshDatabase } from '../support/postgres.js';
import { migratedTemplate } from '../support/governed/stores.js';
import { answerProblems } from './answer.checks.js';
import { CountedCall, type Posted } from './counted.call.js';
import { planDecision } from './decision.plan.js';
import { historyProblems } from './history.checks.js';
import { Killer } from './killer.js';
import { lastWords, listProblems } from './last.words.js';
import { Random } from './random.js';
import { ServerPair } from './server.pair.js';
import { stateProblems, tallyOf, type Tally } from './state.checks.js';

const AT_ONCE = 12;
const QUIET_WITHIN = 45_000;

export interface RoundOptions {
  readonly seed: number;
  /** How many calls ask for approval. */
  readonly calls: number;
  /** How often a server is killed. */
  readonly kills: number;
}

/** What a round came to. */
export interface Round {
  /** Broken promises, in words; none is a pass. */
  readonly problems: readonly string[];
  readonly tally: Tally;
  /** The last words of both servers. */
  readonly log: string;
}

/** Plays one round on a database of its own: two servers, calls that ask, people and forgers that answer, kills; then looks at what is left. */
export async function playRound({ seed, calls, kills }: RoundOptions): Promise<Round> {
  const database = await freshDatabase(await migratedTemplate());
  await sqlOn(
    database.url,
    `create table chaos_count (n integer, amount integer, pid integer, at timestamptz default clock_timestamp());
      create table chaos_note (n integer, pid integer)`,
  );
  const pair = new ServerPair(database.url);
  try {
    await pair.start();
    const told = await playCalls(pair, new Random(seed), { calls, kills });
    const hanging = await untilQuiet(database.url);
    // What nobody answered waits still, and can be answered still.
    const posted = [...told, ...(await lastWords(pair, database.url))];
    const restless = [...hanging, ...(await untilQuiet(database.url))];
    const unlisted = await listProblems(pair, database.url);
    // In peace, so that what was queued is written.
    await pair.stop();
    const state = await stateProblems(database.url, pair.killed);
    const answers = await answerProblems(database.url, posted);
    const history = await historyProblems(database.url);
    const problems = [...restless, ...pair.hung, ...unlisted, ...state, ...history, ...answers];
    return { problems, tally: await tallyOf(database.url, posted, pair.killed.length), log: logOf(pair) };
  } catch (error) {
    return { problems: [`the round broke off: ${String(error)}`], tally: {}, log: logOf(pair) };
  } finally {
    await Promise.all(pair.servers.map((server) => server.kill()));
    await database.drop();
  }
}

async function playCalls(
  pair: ServerPair,
  random: Random,
  { calls, kills }: { readonly calls: number; readonly kills: number },
): Promise<readonly Posted[]> {
  const killer = new Killer(pair, random.fork(), { calls, kills });
  const waiting = Array.from({ length: calls }, () => {
    const own = random.fork();
    return new CountedCall(pair, own.below(2), planDecision(own));
  });
  let asked = 0;
  let number = 0;
  const left = waiting.values();
  const lane = async () => {
    for (const call of left) {
      await call.play(
        () => (number += 1),
        () => (asked += 1),
      );
    }
  };
  await Promise.all([killer.work(() => asked), ...Array.from({ length: AT_ONCE }, lane)]);
  return waiting.flatMap(({ posted }) => posted);
}

/** Nothing runs, and what is suspended waits for somebody. What is not so in time hangs. */
async function untilQuiet(url: string): Promise<readonly string[]> {
  const until = Date.now() + QUIET_WITHIN;
  for (;;) {
    const restless = await sqlOn<{ id: string; status: string }>(
      url,
      `select id, status from gatehouse.agent_run r where status = 'running' or status = 'suspended' and not exists
        (select from gatehouse.approval_request a where a.run_id = r.id and a.status = 'pending')`,
    );
    if (restless.length === 0) return [];
    if (Date.now() > until) return restless.map(({ id, status }) => `run ${id} hangs: it is ${status}`);
    await pause(100);
  }
}

const logOf = ({ servers }: ServerPair): string =>
  servers.map(({ name, log }) => `--- server ${name}\n${log}`).join('\n');
