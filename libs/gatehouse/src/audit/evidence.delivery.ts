import { setTimeout as pause } from 'node:timers/promises';
import { StorageUnavailableError } from '../contracts/errors/storage-unavailable.error.js';
import type { LedgerEntry } from '../contracts/ledger.js';
import type { EvidenceLog } from '../contracts/ports/evidence.log.js';
import { TAKEN } from '../values/ledger/gap.entry.js';
import type { QueuedRecord } from './evidence.queue.js';

/** How patiently a batch is tried again. */
export interface DeliveryPatience {
  /** Milliseconds before the second attempt; doubles each time. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Told of what does not go as it should. */
export interface DeliveryWitness {
  /** An attempt failed and will be made again. */
  retrying(error: unknown): void;
  /** The log cannot take this record. */
  refused(entry: LedgerEntry, status: 'refused' | 'conflict', reason: string): void;
  /** No time is left for these. */
  abandoned(records: readonly QueuedRecord[], error: unknown): void;
}

/** Writes batches, for as long as it takes: the log may be away, and takes the same batch twice as one. */
export class EvidenceDelivery {
  constructor(
    private readonly log: EvidenceLog,
    private readonly patience: DeliveryPatience,
    private readonly witness: DeliveryWitness,
    /** Aborted: no more waiting. */
    private readonly hurry: AbortSignal,
  ) {}

  /** Never rejects. True: the batch is committed, but for records that were told as refused. */
  async deliver(batch: readonly QueuedRecord[], lane: number): Promise<boolean> {
    const entries = batch.map(({ entry }) => entry);
    for (let pauseMs = this.patience.firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, this.patience.longestPauseMs)) {
      try {
        const failures = await this.append(entries, lane);
        for (const { entry, settle } of batch) settle?.(failures?.get(entry));
        return true;
      } catch (error) {
        if (this.hurry.aborted || !(error instanceof StorageUnavailableError)) return this.abandon(batch, error);
        this.witness.retrying(error);
        await this.wait(pauseMs);
      }
    }
  }

  private async append(entries: readonly LedgerEntry[], lane: number): Promise<Map<LedgerEntry, Error> | undefined> {
    const { refused, conflicts } = await this.log.append(entries, lane);
    if (refused.length === 0 && conflicts.length === 0) return undefined;
    for (const { entry, reason } of refused) this.witness.refused(entry, 'refused', reason);
    for (const entry of conflicts) this.witness.refused(entry, 'conflict', TAKEN);
    return new Map([
      ...refused.map(({ entry, reason }) => [entry, new Error(reason)] as const),
      ...conflicts.map((entry) => [entry, new Error(TAKEN)] as const),
    ]);
  }

  private abandon(batch: readonly QueuedRecord[], error: unknown): false {
    this.witness.abandoned(batch, error);
    const failure = error instanceof Error ? error : new Error('The log failed.');
    for (const { settle } of batch) settle?.(failure);
    return false;
  }

  // Not all processes at once.
  private async wait(milliseconds: number): Promise<void> {
    const jittered = milliseconds * (0.5 + Math.random() / 2);
    await pause(jittered, undefined, { signal: this.hurry }).catch(() => undefined);
  }
}
