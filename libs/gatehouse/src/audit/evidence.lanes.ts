import type { Logger } from '@nestjs/common';
import type { LedgerEntry } from '../contracts/ledger.js';
import type { EvidenceLog } from '../contracts/ports/evidence.log.js';
import { oneLine } from '../values/one-line.js';
import { EvidenceDelivery } from './evidence.delivery.js';
import { EvidenceGaps } from './evidence.gaps.js';
import { costOf, EvidenceQueue, type QueueBounds, type QueuedRecord } from './evidence.queue.js';
import { failureText } from './failure.text.js';
import type { QuietLogger } from './quiet.logger.js';

const PATIENCE = Object.freeze({ firstPauseMs: 50, longestPauseMs: 2000 });
const BATCH = 500;
const BATCH_BYTES = 4 * 1024 * 1024;
// One lane is enough until this many wait: batches that are worth their statement.
const SECOND_LANE = 200;

const LONGEST_NAME = 64;

const FULL = 'The queue was full: the log was slower than what came, or away.';

/** What is counted; `EvidenceMetrics` says what each means. */
export interface LaneCounters {
  lastFlushSize: number;
  lastFlushMs: number;
  retries: number;
  gaps: number;
  lost: number;
  conflicts: number;
}

/** The queue and the lanes that empty it: a lane that is idle takes what is there, and what comes meanwhile is the next batch. */
export class EvidenceLanes {
  readonly counters: LaneCounters = { lastFlushSize: 0, lastFlushMs: 0, retries: 0, gaps: 0, lost: 0, conflicts: 0 };
  /** Since when writing fails, as a timestamp; undefined while it works. */
  failingSince: number | undefined;
  private readonly queue: EvidenceQueue;
  private readonly gaps = new EvidenceGaps();
  private readonly hurry = new AbortController();
  private readonly delivery: EvidenceDelivery;
  private readonly lanes: (Promise<void> | undefined)[];
  private enough: () => void = () => undefined;
  private underway = 0;
  private underwayBytes = 0;
  private overflown = 0;

  constructor(
    log: EvidenceLog,
    bounds: QueueBounds,
    private readonly logger: Logger,
    private readonly quiet: QuietLogger,
  ) {
    this.queue = new EvidenceQueue(bounds);
    this.lanes = new Array<undefined>(log.lanes).fill(undefined);
    this.delivery = new EvidenceDelivery(
      log,
      PATIENCE,
      {
        retrying: (error) => this.retrying(error),
        refused: (entry, status, reason) => this.refused(entry, status, reason),
        abandoned: (records, error) => this.abandoned(records, error),
      },
      this.hurry.signal,
    );
  }

  get waiting(): number {
    return this.queue.length + this.underway;
  }

  get bytes(): number {
    return this.queue.bytes + this.underwayBytes;
  }

  get bounds(): QueueBounds {
    return this.queue.bounds;
  }

  /** @param settle told once: with nothing when the record is committed, else with why it is not */
  add(entry: LedgerEntry, settle?: QueuedRecord['settle']): void {
    const queued = !this.hurry.signal.aborted && this.queue.add({ entry, bytes: costOf(entry), settle });
    if (!queued) return settle === undefined ? this.overflow(entry) : settle(new Error(FULL));
    this.wake();
    // Somebody waits for this one, or there is enough: no more gathering.
    if (settle !== undefined || this.queue.length >= BATCH) this.enough();
  }

  /** Facts left the outbox as gap records. */
  factsRefused(facts: number): void {
    this.counters.lost += facts;
    this.counters.gaps += facts;
    this.logger.error(`${facts} facts could not be sealed as they are: each has a gap record that says what it said.`);
  }

  /** Resolves when no lane has anything to do. */
  async idle(): Promise<void> {
    for (let busy = this.busy(); busy.length > 0; busy = this.busy()) await Promise.all(busy);
  }

  /** Nothing is waited for any more, nor taken. */
  close(): void {
    this.hurry.abort();
  }

  private busy(): readonly Promise<void>[] {
    return this.lanes.filter((lane) => lane !== undefined);
  }

  private wake(): void {
    for (const [lane, running] of this.lanes.entries()) {
      if (running !== undefined) continue;
      if (lane === 0 || this.queue.length >= SECOND_LANE) this.lanes[lane] = this.run(lane);
      return;
    }
  }

  private async run(lane: number): Promise<void> {
    await this.gathered();
    for (let batch = this.take(); batch.length > 0; batch = this.take()) await this.flush(batch, lane);
    this.lanes[lane] = undefined;
  }

  // What comes in this turn of the event loop joins the first batch: a batch costs much the same with one record as with twenty.
  private gathered(): Promise<void> {
    return new Promise((resolve) => {
      this.enough = resolve;
      setImmediate(resolve);
    });
  }

  private take(): readonly QueuedRecord[] {
    // What is missing is told as soon as anything can be.
    const told = this.gaps.take().map((entry) => ({ entry, bytes: costOf(entry) }));
    const taken = this.queue.take(BATCH, BATCH_BYTES);
    return told.length === 0 ? taken : [...told, ...taken];
  }

  private async flush(batch: readonly QueuedRecord[], lane: number): Promise<void> {
    const bytes = batch.reduce((sum, record) => sum + record.bytes, 0);
    const started = performance.now();
    this.underway += batch.length;
    this.underwayBytes += bytes;
    if (await this.delivery.deliver(batch, lane)) {
      this.counters.lastFlushSize = batch.length;
      this.counters.lastFlushMs = performance.now() - started;
      this.counters.gaps += batch.filter(({ entry }) => entry.record.kind === 'gap').length;
      this.recovered();
    }
    this.underway -= batch.length;
    this.underwayBytes -= bytes;
  }

  private retrying(error: unknown): void {
    this.counters.retries += 1;
    this.failingSince ??= Date.now();
    this.quiet.warn('retry', `The evidence log takes nothing; ${this.waiting} records wait: ${failureText(error)}`);
  }

  private recovered(): void {
    this.failingSince = undefined;
    if (this.overflown === 0) return;
    this.logger.error(`The evidence queue takes records again; ${this.overflown} were dropped.`);
    this.overflown = 0;
  }

  private refused(entry: LedgerEntry, status: 'refused' | 'conflict', reason: string): void {
    if (status === 'refused') this.counters.lost += 1;
    else this.counters.conflicts += 1;
    this.quiet.error(status, `Record ${entry.record.id} is not stored as it is. ${reason}`);
    // What stands for other records and cannot be stored either must not turn in a circle.
    if (entry.record.kind !== 'gap') this.gaps.refused(entry, status, reason);
  }

  // Logged once when it begins and once when it is over: a full queue is no time for a line each.
  private overflow(entry: LedgerEntry): void {
    this.counters.lost += 1;
    this.overflown += 1;
    this.gaps.missing(entry, 'overflow', FULL);
    if (this.overflown > 1) return;
    const { toolName, runId } = entry.record;
    // A name nobody knows is the model's own words.
    const name = oneLine(toolName ?? '', LONGEST_NAME);
    this.logger.error(`The evidence queue is full; records are dropped, the first for tool '${name}', run ${runId}.`);
  }

  private abandoned(records: readonly QueuedRecord[], error: unknown): void {
    this.counters.lost += records.length;
    this.logger.error(`${records.length} evidence records are lost: ${failureText(error)}`);
    if (this.hurry.signal.aborted) return;
    for (const { entry } of records)
      this.gaps.missing(entry, 'unavailable', 'The log failed in a way that was not foreseen.');
  }
}
