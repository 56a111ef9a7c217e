import { jest } from '@jest/globals';
import fc from 'fast-check';
import { scripts } from './arbitrary.script.js';
import { PATIENCE } from './rounds.js';
import { Theatre } from './theatre.js';

jest.setTimeout(PATIENCE);

// A property over scripts in which nothing happens would hold whatever the product did.
it('the scripts of the properties reach every status of an operation and every way a run can end', async () => {
  const theatre = await Theatre.open();
  const reached = new Set<string>();
  for (const script of fc.sample(scripts, { numRuns: 120, seed: 7 })) {
    const { rows, outcomes } = await theatre.perform(script);
    for (const { kind, status, decidedBy } of rows) reached.add(`${kind} ${status} ${decidedBy}`);
    for (const outcome of outcomes) reached.add(`run ${outcome.status} ${'stage' in outcome ? outcome.stage : ''}`);
  }
  await theatre.close();
  expect(EVERYTHING.filter((one) => !reached.has(one))).toEqual([]);
});

const EVERYTHING = [
  ...[
    'tool completed null',
    'tool failed null',
    'tool interrupted null',
    'tool rejected inspector',
    'tool denied person',
  ],
  ...[
    'tool aborted hook',
    'tool aborted inspector',
    'tool redirected hook',
    'tool stubbed hook',
    'tool deferred external',
    'tool failed external',
  ],
  ...['tool stubbed middleware', 'tool expired approval', 'tool skipped barrier', 'tool skipped limit'],
  ...['tool failed admission', 'tool failed hook', 'tool failed inspector', 'tool failed middleware'],
  ...['output completed null', 'output failed admission', 'output skipped barrier'],
  ...['run completed ', 'run suspended ', 'run aborted operation_inspection', 'run cancelled executor'],
  ...['run failed executor', 'run failed denial', 'run failed limit', 'run failed operation_inspection'],
];
