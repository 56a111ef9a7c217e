import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../contracts/clock.js';
import { LeaseLostError } from '../contracts/errors/lease-lost.error.js';
import type { CancelSource } from '../contracts/errors/run-cancelled.error.js';
import type { Fence } from '../contracts/ports/run.fence.js';
import { RunStore, type Ownership } from '../contracts/ports/run.store.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { Wakeup } from '../contracts/ports/wakeup.js';
import { newId } from '../values/ids.js';
import { LONGEST_TIMER } from '../values/timers.js';

/** What is rung when somebody asked for a cancellation: the id of no run, heard by every process that owns one. */
export const CANCELS = '00000000-0000-7000-8000-000000000000';

/** A run this process owns, as the lease keeper sees it. */
export interface LeasedRun extends Fence {
  lost(): void;
  cancelled(source: CancelSource, reason: string): void;
}

/** Renews the leases of all runs of this process at a quarter of their length, and knows which may still start something. */
@Injectable()
export class RunLease implements OnApplicationShutdown {
  private readonly logger = new Logger('gatehouse.runs');
  private readonly runs = new Map<LeasedRun, number>();
  private timer: NodeJS.Timeout | undefined;
  private unsubscribe: (() => void) | undefined;
  private unwatched: (runId: string) => void = () => undefined;
  readonly ownership: Ownership;

  constructor(
    private readonly store: RunStore,
    private readonly clock: Clock,
    private readonly options: ResolvedOptions,
    private readonly wakeup: Wakeup,
  ) {
    this.ownership = Object.freeze({ owner: newId(), leaseMs: options.runs.lease });
  }

  /** From now on the run's lease is kept. `since`: when the request that took it was sent. */
  hold(run: LeasedRun, since: number): void {
    this.runs.set(run, since);
    this.timer ??= this.start();
  }

  release(run: LeasedRun): void {
    this.runs.delete(run);
    if (this.runs.size === 0) this.rest();
  }

  /** Throws once five sixths of the lease have passed since the last renewal was sent: another process may own the run by now. */
  check(run: LeasedRun): void {
    const since = this.runs.get(run);
    const safe = (this.options.runs.lease * 5) / 6;
    if (since === undefined || this.clock.monotonic() - since > safe) throw new LeaseLostError(run.runId);
  }

  /** Who is told of a run of ours that clients of other processes watched, until lately. One listener; told again while it is so. */
  onUnwatched(listener: (runId: string) => void): void {
    this.unwatched = listener;
  }

  onApplicationShutdown(): void {
    this.rest();
  }

  private rest(): void {
    this.unsubscribe?.();
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private start(): NodeJS.Timeout {
    // A renewal also says who wants what cancelled: without a ring that would be heard of a quarter of a lease later.
    this.unsubscribe = this.wakeup.subscribe(CANCELS, () => void this.renew());
    const timer = setInterval(() => void this.renew(), Math.min(this.options.runs.lease / 4, LONGEST_TIMER));
    timer.unref();
    return timer;
  }

  private async renew(): Promise<void> {
    const runs = [...this.runs.keys()];
    if (runs.length === 0) return;
    const sentAt = this.clock.monotonic();
    try {
      const renewal = await this.store.renew(runs, this.ownership);
      const lost = new Set(renewal.lost.map((fence) => `${fence.runId}:${fence.epoch}`));
      for (const run of runs) {
        if (!this.runs.has(run)) continue;
        if (lost.has(`${run.runId}:${run.epoch}`)) run.lost();
        else this.runs.set(run, sentAt);
      }
      for (const { runId, source, reason } of renewal.cancels) {
        runs.find((run) => run.runId === runId)?.cancelled(source as CancelSource, reason);
      }
      for (const runId of renewal.unwatched) this.unwatched(runId);
    } catch (error) {
      this.logger.warn(`The leases of ${runs.length} runs could not be renewed: ${(error as Error).message}`);
    }
  }
}
