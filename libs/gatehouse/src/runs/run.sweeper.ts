import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RunDispatcher } from '../contracts/ports/run.dispatcher.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { describeError } from '../values/error-text.js';
import { RunCancellation } from './run.cancellation.js';
import { RunDriver } from './run.driver.js';
import { RunLease } from './run.lease.js';
import { RunOpener } from './run.opener.js';
import { RunPlan } from './run.plan.js';

/** Closes runs whose process is gone, and resumes those that wait for nobody any more. Any replica may. */
@Injectable()
export class RunSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.runs');
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    private readonly dispatcher: RunDispatcher,
    private readonly plan: RunPlan,
    private readonly opener: RunOpener,
    private readonly driver: RunDriver,
    private readonly lease: RunLease,
    private readonly options: ResolvedOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), this.options.runs.lease / 4);
    this.timer.unref();
    void this.sweep();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** One round. Never throws. */
  sweep(): Promise<void> {
    this.sweeping = this.sweeping.then(() => this.round());
    return this.sweeping;
  }

  private async round(): Promise<void> {
    try {
      const since = this.opener.now();
      const { orphans, ready } = await this.store.sweep(this.lease.ownership);
      for (const run of orphans) await this.close(run, since);
      if (!this.options.approvals.autoResume) return;
      for (const runId of ready) await this.dispatcher.dispatch(runId);
    } catch (error) {
      this.logger.warn(`A sweep failed and is tried again: ${describeError(error)}`);
    }
  }

  private async close(run: StoredRun, since: number): Promise<void> {
    const segment = `${run.id}:lost`;
    // Nothing of it runs here, so it needs no executor and no roles of its own.
    const local = { agent: { execute: () => Promise.reject(new Error('lost')) } };
    const live = await this.opener.open(run, await this.plan.parts(run, local, segment, new RunCancellation()), since);
    try {
      const step = await this.reader.lastStep(run.id);
      const open = step !== undefined && step.step === run.step ? { step, approvals: [] } : undefined;
      await this.driver.conclude(live, { status: 'interrupted', stage: 'executor', open: 'interrupted' }, open);
      this.logger.warn(`Run ${run.id} was interrupted: its process is gone.`);
    } finally {
      this.opener.close(live);
    }
  }
}
