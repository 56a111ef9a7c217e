import type { LedgerEntry } from '../ledger.js';

/** A record that the log cannot take. */
export interface RefusedEntry {
  readonly entry: LedgerEntry;
  /** Without any of its values. */
  readonly reason: string;
}

/** What became of a batch of records; what is not listed is stored. */
export interface Appended {
  readonly refused: readonly RefusedEntry[];
  /** Records whose id is taken by one with other content: the first stays, these are not stored. */
  readonly conflicts: readonly LedgerEntry[];
}

/** What became of facts. */
export interface MovedFacts {
  /** How many left the outbox. */
  readonly moved: number;
  /** How many of those the log could not take: each has a `gap` record instead. */
  readonly refused: number;
}

/** Facts that are not sealed yet. */
export interface WaitingFacts {
  /** Counted up to 10,000. */
  readonly waiting: number;
  /** Milliseconds since the oldest of them happened; 0 without any. */
  readonly oldestMs: number;
}

/** Who writes, for whoever asks later which processes did. */
export interface WritingProcess {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
}

/**
 * The sealed log as one process writes it: by lanes, each a writer of its own with batches of dense numbers. A call that rejects with
 * `StorageUnavailableError` may have been committed: the same call again finds out, and writes nothing twice.
 */
export abstract class EvidenceLog {
  /** How many batches may be on their way at once. */
  abstract readonly lanes: number;
  /** From now on each lane that writes says so: a row with a heartbeat, and `writer` records. */
  abstract open(process: WritingProcess): void;
  /**
   * Seals records, idempotent by id. One batch at a time in each lane.
   *
   * @param lane from 0
   */
  abstract append(entries: readonly LedgerEntry[], lane?: number): Promise<Appended>;
  /** Brings at most `most` facts into the log, the oldest first. Several processes may do so at once: each fact is one's. */
  abstract moveFacts(most?: number): Promise<MovedFacts>;
  /** Called whenever this process may have left facts; returns how to stop. */
  abstract onFacts(listener: () => void): () => void;
  abstract waitingFacts(): Promise<WaitingFacts>;
  /** Says that this process is alive. A lane that was given up as lost meanwhile goes on as a new writer. */
  abstract beat(): Promise<void>;
  /** Marks writers as lost that nobody has heard of for so long, each once, whoever asks; their ids. */
  abstract markLost(silentMs: number): Promise<readonly string[]>;
  /** Ends every lane with a record of its last batch, and lets go of its connections. Waits at most `withinMs`; never rejects. */
  abstract close(withinMs: number): Promise<void>;
}
