import type { EvidenceStore } from '../../contracts/ports/evidence.store.js';
import type { RunReader } from '../../contracts/ports/run.reader.js';
import type { RunStore } from '../../contracts/ports/run.store.js';

/** What a contract suite needs of a store. */
export interface StoreUnderTest {
  readonly store: RunStore;
  readonly reader: RunReader;
  readonly evidence: EvidenceStore;
  /** Lets time pass without waiting: a clock goes on, or stored deadlines come nearer. */
  readonly moveTime: (milliseconds: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The store of the running suite; open between its first and its last test. */
export type Opened = () => StoreUnderTest;
