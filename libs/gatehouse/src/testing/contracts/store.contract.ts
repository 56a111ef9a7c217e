import { describeApprovals } from './approvals.contract.js';
import { describeClaims } from './claims.contract.js';
import { describeDeferrals } from './deferrals.contract.js';
import { describeEndings } from './endings.contract.js';
import { describeEvidence } from './evidence.contract.js';
import { describeHistory } from './history.contract.js';
import { describeHostileValues } from './hostile.contract.js';
import { jestWords } from './jest.words.js';
import { describeLeases } from './leases.contract.js';
import { describeQueue } from './queue.contract.js';
import { describeRaces } from './races.contract.js';
import { describeReading } from './reading.contract.js';
import { describeRuns } from './runs.contract.js';
import { describeSteps } from './steps.contract.js';
import type { StoreUnderTest } from './tested.store.js';
import { describeTakeOver } from './take.over.contract.js';
import { describeWatching } from './watching.contract.js';
import { describeVotes } from './votes.contract.js';

/**
 * What every implementation of `RunStore`, `RunReader` and `EvidenceStore` does. Call it from a Jest test file.
 *
 * @param open an empty store; called once, before the first test
 *
 * @example
 * ```ts
 * describeStoreContract('my store', async () => ({ store, reader, evidence, moveTime, close }));
 * ```
 */
export function describeStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  const { describe, beforeAll, afterAll } = jestWords();
  describe(`${name}: the store contract`, () => {
    let test: StoreUnderTest;
    beforeAll(async () => {
      test = await open();
    });
    afterAll(() => test.close());
    const opened = (): StoreUnderTest => test;
    for (const part of PARTS) part(opened);
  });
}

const PARTS = [
  describeRuns,
  describeSteps,
  describeApprovals,
  describeVotes,
  describeClaims,
  describeDeferrals,
  describeTakeOver,
  describeQueue,
  describeEndings,
  describeLeases,
  describeWatching,
  describeReading,
  describeEvidence,
  describeHistory,
  describeHostileValues,
  describeRaces,
];
