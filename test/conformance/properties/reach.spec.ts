import { jest } from '@jest/globals';
import fc from 'fast-check';
import { scripts } from './arbitrary.script.js';
import { PATIENCE } from './rounds.js';
import { Theatre } from './theatre.js';

jest.setTimeout(PATIENCE);

// A property over scripts in which nothing happens would hold whatever the product did.
it('the scripts of the properties reach every status of an operation and every way a run can end', async () => {
  const theatre = await Theatre.open();
  const operations = new Set<string>();
  const runs = new Set<string>();
  for (const script of fc.sample(scripts, { numRuns: 150, seed: 7 })) {
    const { rows, outcomes } = await theatre.perform(script);
    for (const { status, decidedBy } of rows) operations.add(`${status} ${decidedBy}`);
    for (const outcome of outcomes)
      runs.add('stage' in outcome ? `${outcome.status} ${outcome.stage}` : outcome.status);
  }
  await theatre.close();
  expect([...operations].toSorted()).toEqual([]);
  expect([...runs].toSorted()).toEqual([]);
});
