import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RunStore } from '../contracts/ports/run.store.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { describeError } from '../values/error-text.js';

const RUNS_PER_BATCH = 100;
/** One round does no more; the next one does the rest. */
const BATCHES = 20;
const LONGEST_REST = 60_000;

/** Deletes the stored events of runs that ended `runs.keepEvents` ago. Any replica may; their evidence stays. */
@Injectable()
export class EventRetention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.runs');
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> = Promise.resolve();
  private closing = false;

  constructor(
    private readonly store: RunStore,
    private readonly options: ResolvedOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.expire(), Math.min(this.options.runs.keepEvents, LONGEST_REST));
    this.timer.unref();
    this.expire();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.timer);
    await this.working;
  }

  private expire(): void {
    this.working = this.working.then(() => this.round());
  }

  private async round(): Promise<void> {
    try {
      for (let batch = 0; batch < BATCHES && !this.closing; batch += 1) {
        if ((await this.store.expireEvents(this.options.runs.keepEvents, RUNS_PER_BATCH)) < RUNS_PER_BATCH) return;
      }
    } catch (error) {
      this.logger.warn(`Old events could not be deleted; it is tried again: ${describeError(error)}`);
    }
  }
}
