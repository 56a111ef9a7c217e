/** Counters of the evidence that this process writes, since its start. */
export interface EvidenceMetrics {
  /** Records that wait in this process, those being written included. */
  readonly queued: number;
  /** About what those hold in memory. */
  readonly queuedBytes: number;
  /** Records of the last batch that was committed. */
  readonly lastFlushSize: number;
  /** How long it took, retries included. */
  readonly lastFlushMs: number;
  /** Attempts to write that failed and were made again. */
  readonly retries: number;
  /** `gap` records that were written. */
  readonly gaps: number;
  /** Records that are not in the log: refused by the database, or without room in the queue. Each is told of in a gap record. */
  readonly lost: number;
  /** Records that were not stored because another one has their id. */
  readonly conflicts: number;
  /** Facts of all processes that are committed and not yet sealed; as of the last look. */
  readonly factsWaiting: number;
  /** Milliseconds since the oldest of those happened. */
  readonly oldestFactMs: number;
  /** Milliseconds since the last signed checkpoint of the log, as of the last look; null where there is none. */
  readonly lastCheckpointAgeMs: number | null;
}

/** How the evidence fares. `down`: nothing can be written now. `degraded`: it is written, but something is wrong. */
export type EvidenceStatus = 'up' | 'degraded' | 'down';

/** What `EvidenceHealth.check` finds. */
export interface EvidenceHealthReport {
  readonly status: EvidenceStatus;
  /** What is wrong, for people; empty when it is `up`. */
  readonly reasons: readonly string[];
  readonly metrics: EvidenceMetrics;
}
