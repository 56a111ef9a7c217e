import { Injectable } from '@nestjs/common';
import type { EvidenceHealthReport, EvidenceMetrics } from '../contracts/evidence.health.js';
import { SealStore, type StoredCheckpoint } from '../contracts/ports/seal.store.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { within } from '../values/within.js';
import { EvidenceWriter } from './evidence.writer.js';
import { failureText } from './failure.text.js';

const FAILING_IS_DOWN = 5000;
const ANSWER_WITHIN = 5000;
const NEARLY_FULL = 0.8;
const OLD_FACT = 30_000;
const LATE_CHECKPOINTS = 3;

/**
 * How the evidence of this process fares, for health checks and metrics.
 *
 * @example With `@nestjs/terminus`:
 * ```ts
 * const { status, reasons } = await this.evidence.check();
 * const indicator = this.indicators.check('evidence');
 * return status === 'down' ? indicator.down({ reasons }) : indicator.up({ status, reasons });
 * ```
 */
@Injectable()
export class EvidenceHealth {
  private checkpoint: StoredCheckpoint | undefined;

  constructor(
    private readonly writer: EvidenceWriter,
    private readonly seals: SealStore,
    private readonly options: ResolvedOptions,
  ) {}

  /** Counters as they are now; facts and checkpoint as of the last check. */
  metrics(): EvidenceMetrics {
    const { lanes, facts } = this.writer;
    return Object.freeze({
      queued: lanes.waiting,
      queuedBytes: lanes.bytes,
      ...lanes.counters,
      factsWaiting: facts.last.waiting,
      oldestFactMs: facts.last.oldestMs,
      lastCheckpointAgeMs: this.checkpoint === undefined ? null : Date.now() - this.checkpoint.createdAt.getTime(),
    });
  }

  /** Asks the database as well, for at most 5 s. Never rejects. */
  async check(): Promise<EvidenceHealthReport> {
    const down: string[] = [];
    try {
      await within(
        this.look(),
        ANSWER_WITHIN,
        () => new Error(`The database gives no answer within ${ANSWER_WITHIN} ms.`),
      );
    } catch (error) {
      down.push(failureText(error));
    }
    const metrics = this.metrics();
    const { failingSince } = this.writer.lanes;
    const failingMs = failingSince === undefined ? 0 : Date.now() - failingSince;
    if (failingMs > FAILING_IS_DOWN) down.push(`Nothing could be written for ${failingMs} ms.`);
    const degraded = this.doubts(metrics);
    const status = down.length > 0 ? 'down' : degraded.length > 0 ? 'degraded' : 'up';
    return Object.freeze({ status, reasons: Object.freeze([...down, ...degraded]), metrics });
  }

  private async look(): Promise<void> {
    if (this.options.persistence === undefined) return;
    await this.writer.facts.look();
    this.checkpoint = await this.seals.latestCheckpoint();
  }

  // While nothing happens, one is due at each heartbeat.
  private checkpointDueMs(): number {
    const { seal } = this.options.audit;
    return seal === undefined ? Infinity : seal.heartbeat + LATE_CHECKPOINTS * seal.interval;
  }

  private doubts(metrics: EvidenceMetrics): readonly string[] {
    const { lanes } = this.writer;
    const { records, bytes } = lanes.bounds;
    const isNearlyFull = metrics.queued > records * NEARLY_FULL || metrics.queuedBytes > bytes * NEARLY_FULL;
    const checkpointAgeMs = metrics.lastCheckpointAgeMs ?? 0;
    return [
      ...(isNearlyFull ? [`${metrics.queued} records wait: the queue is nearly full.`] : []),
      ...(metrics.lost > 0 ? [`${metrics.lost} records could not be stored since the start.`] : []),
      ...(metrics.conflicts > 0 ? [`${metrics.conflicts} records have the id of another one.`] : []),
      ...(metrics.oldestFactMs > OLD_FACT ? [`A fact has waited for ${metrics.oldestFactMs} ms to be sealed.`] : []),
      ...(checkpointAgeMs > this.checkpointDueMs() ? [`The last checkpoint is ${checkpointAgeMs} ms old.`] : []),
    ];
  }
}
