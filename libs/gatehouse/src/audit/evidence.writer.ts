import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { AuditEvent } from '../contracts/audit.event.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import { EvidenceStore } from '../contracts/ports/evidence.store.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { describeError } from '../values/error-text.js';
import { within } from '../values/within.js';
import { EvidenceDelivery } from './evidence.delivery.js';
import { costOf, EvidenceQueue, type QueuedRecord } from './evidence.queue.js';

const BOUNDS = Object.freeze({ records: 10_000, bytes: 64 * 1024 * 1024 });
const PATIENCE = Object.freeze({ attempts: 8, firstPauseMs: 50 });
const BATCH = 500;

/**
 * Best-effort evidence: queues, and writes what queued meanwhile as one batch (group commit). A submit costs no wait and no timer. What
 * cannot be written is counted and logged, never thrown.
 */
@Injectable()
export class EvidenceWriter implements BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.audit');
  private readonly queue = new EvidenceQueue(BOUNDS);
  private readonly hurry = new AbortController();
  private readonly delivery: EvidenceDelivery;
  private lane: Promise<void> | undefined;
  private underway = 0;
  private lost = 0;
  private overflown = 0;

  constructor(
    store: EvidenceStore,
    private readonly options: ResolvedOptions,
  ) {
    this.delivery = new EvidenceDelivery(
      store,
      PATIENCE,
      (records, error) => this.lose(records, error),
      this.hurry.signal,
    );
  }

  /** Records that could not be written, those that found the queue full included, since the start. */
  get losses(): number {
    return this.lost;
  }

  /** Records that are not written yet. */
  get waiting(): number {
    return this.queue.length + this.underway;
  }

  submitExecution(event: AuditEvent): void {
    this.submit({ ledger: 'executions', record: event, bytes: costOf(event) });
  }

  submitOperation(record: OperationRecord): void {
    this.submit({ ledger: 'operations', record, bytes: costOf(record) });
  }

  /** Resolves when everything submitted so far is written, or lost. Never rejects. */
  async flush(): Promise<void> {
    while (this.lane) await this.lane;
  }

  /** Writes what is left, for at most `runs.drain`. */
  async beforeApplicationShutdown(): Promise<void> {
    const { drain } = this.options.runs;
    await within(this.flush(), drain, () => new Error('late')).catch(() => {
      this.hurry.abort();
      this.logger.error(`${this.waiting} evidence records were not written within ${drain} ms of the shutdown.`);
    });
  }

  private submit(record: QueuedRecord): void {
    if (!this.queue.add(record)) return this.overflow(record);
    this.lane ??= this.drain();
  }

  private async drain(): Promise<void> {
    // The rest of this turn of the event loop joins the first batch.
    await Promise.resolve();
    while (this.queue.length > 0) {
      const batch = this.queue.take(BATCH);
      this.underway = batch.length;
      await this.delivery.deliver(batch);
    }
    this.underway = 0;
    this.lane = undefined;
    this.reportOverflow();
  }

  private lose(records: readonly QueuedRecord[], error: unknown): void {
    this.lost += records.length;
    this.logger.error(`${records.length} evidence records are lost: ${describeError(error)}.`);
  }

  // Logged once when it begins and once when it is over: a full queue is no time for a line each.
  private overflow({ record }: QueuedRecord): void {
    this.lost += 1;
    this.overflown += 1;
    if (this.overflown === 1) {
      this.logger.error(
        `The evidence queue is full; records are dropped, the first for tool '${record.toolName}', run ${record.runId}.`,
      );
    }
  }

  private reportOverflow(): void {
    if (this.overflown === 0) return;
    this.logger.error(`The evidence queue is empty again; ${this.overflown} records were dropped.`);
    this.overflown = 0;
  }
}
