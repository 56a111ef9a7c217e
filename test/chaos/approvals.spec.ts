import { playRound } from './round.js';

const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);

it(`approvals hold while servers are killed (CHAOS_SEED=${SEED})`, async () => {
  const { problems, tally, log } = await playRound({ seed: SEED, calls: 30, kills: 2 });
  if (problems.length > 0) process.stderr.write(`CHAOS_SEED=${SEED}\n${log}\n`);
  expect(problems).toEqual([]);
  expect(tally['kills']).toBe(2);
  expect(tally['events requested']).toBeGreaterThanOrEqual(30);
}, 240_000);
