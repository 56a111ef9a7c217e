import { Clock } from '../../libs/gatehouse/src/contracts/clock.js';
import { MemoryEvidenceStore } from '../../libs/gatehouse/src/persistence/memory/memory.evidence.store.js';
import { MemoryRunReader } from '../../libs/gatehouse/src/persistence/memory/memory.run.reader.js';
import { MemoryRunStore } from '../../libs/gatehouse/src/persistence/memory/memory.run.store.js';
import { MemoryState } from '../../libs/gatehouse/src/persistence/memory/memory.state.js';
import { describeStoreContract } from '../../libs/gatehouse/src/testing/contracts/index.js';

/** The machine's clock, ahead by what a test says has passed. */
class MovedClock extends Clock {
  private ahead = 0;

  move(milliseconds: number): void {
    this.ahead += milliseconds;
  }

  override now(): Date {
    return new Date(Date.now() + this.ahead);
  }

  override monotonic(): number {
    return performance.now() + this.ahead;
  }
}

describeStoreContract('memory', async () => {
  const state = new MemoryState();
  const clock = new MovedClock();
  return {
    store: new MemoryRunStore(state, clock),
    reader: new MemoryRunReader(state),
    evidence: new MemoryEvidenceStore(state, clock),
    moveTime: async (milliseconds) => clock.move(milliseconds),
    close: async () => undefined,
  };
});
