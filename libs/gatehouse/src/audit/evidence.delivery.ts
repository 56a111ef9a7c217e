import { setTimeout as pause } from 'node:timers/promises';
import { StorageUnavailableError } from '../contracts/errors/storage-unavailable.error.js';
import type { EvidenceStore } from '../contracts/ports/evidence.store.js';
import type { QueuedRecord } from './evidence.queue.js';

/** How often and how patiently a batch is tried again. */
export interface DeliveryPatience {
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubles each time. */
  readonly firstPauseMs: number;
}

/** Told of each batch that was given up, with the last error. */
export type OnLoss = (records: readonly QueuedRecord[], error: unknown) => void;

/** Writes batches: waits for a store that does not answer, singles out the record that a store refuses. */
export class EvidenceDelivery {
  constructor(
    private readonly store: EvidenceStore,
    private readonly patience: DeliveryPatience,
    private readonly onLoss: OnLoss,
    /** Aborted: no more waiting. */
    private readonly hurry: AbortSignal,
  ) {}

  /** Never rejects: what cannot be written is told as lost. */
  async deliver(batch: readonly QueuedRecord[]): Promise<void> {
    const error = await this.tryPatiently(batch);
    if (error === undefined) return;
    if (batch.length === 1 || isUnavailable(error)) return this.onLoss(batch, error);
    const middle = Math.ceil(batch.length / 2);
    await this.deliver(batch.slice(0, middle));
    await this.deliver(batch.slice(middle));
  }

  private async tryPatiently(batch: readonly QueuedRecord[]): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const error = await this.append(batch);
      const again = isUnavailable(error) && attempt < this.patience.attempts && !this.hurry.aborted;
      if (!again) return error;
      await this.wait(this.patience.firstPauseMs * 2 ** (attempt - 1));
    }
  }

  // Appending is idempotent by id, so a batch that was half written may be written again.
  private async append(batch: readonly QueuedRecord[]): Promise<unknown> {
    const executions = batch.flatMap((one) => (one.ledger === 'executions' ? [one.record] : []));
    const operations = batch.flatMap((one) => (one.ledger === 'operations' ? [one.record] : []));
    try {
      if (executions.length > 0) await this.store.appendExecutions(executions);
      if (operations.length > 0) await this.store.appendOperations(operations);
      return undefined;
    } catch (error) {
      return error ?? new Error('The evidence store failed.');
    }
  }

  private async wait(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.hurry }).catch(() => undefined);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof StorageUnavailableError;
}
