import { jest } from '@jest/globals';
import fc from 'fast-check';
import { scripts } from './arbitrary.script.js';
import { factsAreFrozen, theVeryObject } from './identity.invariants.js';
import { oneRecordForEachStart, oneTerminalStatusEach, skippedByWhatBlocked } from './ledger.invariants.js';
import {
  executedIsInspectedIsApproved,
  nothingStartsAfterARejection,
  skippedMeansUntouched,
} from './order.invariants.js';
import type { Performance } from './performance.js';
import { PATIENCE, round } from './rounds.js';
import type { Script } from './script.js';
import { nothingLeaks } from './secrets.invariants.js';
import { Theatre } from './theatre.js';

jest.setTimeout(PATIENCE);

let converting: Theatre;
let ending: Theatre;
beforeEach(async () => {
  converting = await Theatre.open();
  ending = await Theatre.open({ failure: { enabled: false } });
});
afterEach(async () => {
  await converting.close();
  await ending.close();
});
const theatre = (script: Script): Theatre => (script.converts ? converting : ending);

const holds = (invariant: (performance: Performance) => void) =>
  fc.assert(
    fc.asyncProperty(scripts, async (script) => invariant(await theatre(script).perform(script))),
    round(),
  );

describe('whatever a model proposes and the roles decide', () => {
  it.each([
    ['every proposal has exactly one terminal status and one answer', oneTerminalStatusEach],
    ['the execution records are the started methods, one each', oneRecordForEachStart],
    ['a skipped call names what blocked it; nobody only for a limit and a cancel', skippedByWhatBlocked],
    ['nothing starts after a rejection in its response, or after the end of the run', nothingStartsAfterARejection],
    ['a skipped call was neither inspected nor started', skippedMeansUntouched],
    ['what runs is what was inspected, and what a person approved', executedIsInspectedIsApproved],
    ['what was thrown is the very object everywhere, a rejection is the very rejection', theVeryObject],
    ['facts are frozen', factsAreFrozen],
    ['secrets and driver texts stay inside', nothingLeaks],
  ])('%s', (_, invariant) => holds(invariant));

  it('nothing changes a status once it is terminal', () =>
    fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const stage = theatre(script);
        const performance = await stage.perform(script);
        const { rows, terminals, facts } = performance;
        await stage.meddle(performance);
        await stage.look(performance);
        expect(performance.rows).toEqual(rows);
        expect(performance.terminals).toEqual(terminals);
        expect(performance.facts).toEqual(facts);
      }),
      round(),
    ));
});
