// The long chaos test: rounds of 300 approvals and 12 kills, one seed each. `-- --seeds 20 --seed 1 --calls 300 --kills 12`.
import { parseArgs } from 'node:util';
import globalSetup from '../support/jest.global-setup.js';
import globalTeardown from '../support/jest.global-teardown.js';
import { playRound } from './round.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    seed: { type: 'string', default: process.env['CHAOS_SEED'] ?? String(Date.now() % 1_000_000) },
    calls: { type: 'string', default: '300' },
    kills: { type: 'string', default: '12' },
  },
});
/** Of the promises that a seed broke. */
const MOST_SHOWN = 30;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const first = Number(values.seed);
const passed: number[] = [];

await globalSetup();
try {
  for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
    const from = Date.now();
    say(`CHAOS_SEED=${seed}`);
    const { problems, tally, log } = await playRound({
      seed,
      calls: Number(values.calls),
      kills: Number(values.kills),
    });
    for (const [name, count] of Object.entries(tally)) say(`  ${String(count).padStart(6)}  ${name}`);
    say(`  ${((Date.now() - from) / 1000).toFixed(1)} s, ${problems.length} broken promises`);
    if (problems.length === 0) {
      passed.push(seed);
      continue;
    }
    say(`${log}\nSeed ${seed} broke:\n${[...new Set(problems)].slice(0, MOST_SHOWN).join('\n')}`);
    process.exitCode = 1;
    break;
  }
  say(`Passed: ${passed.length} seeds (${passed.join(', ')})`);
} finally {
  await globalTeardown();
}
