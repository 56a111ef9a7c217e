import { WorkerHost } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Job } from 'bullmq';
import { RunNotResumableError } from '../../contracts/errors/run-not-resumable.error.js';
import { AgentRunner } from '../../runs/agent.runner.js';
import { RunDrain } from '../../runs/run.drain.js';
import { describeError } from '../../values/error-text.js';
import type { RunJob } from './run.job.js';

/** Executes the runs that jobs name: takes one over by the rules of the store, or does nothing. `RunQueueModule` makes a processor of it. */
@Injectable()
export class RunProcessor
  extends WorkerHost
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly logger = new Logger('gatehouse.worker');

  constructor(private readonly modules: ModuleRef) {
    super();
  }

  /** Only now: a job that came earlier would find neither tools nor roles. */
  onApplicationBootstrap(): void {
    this.worker.on('error', (error) => this.logger.warn(`The queue does not answer: ${describeError(error)}`));
    void this.worker.run();
  }

  override async process({ data: { runId } }: Job<RunJob>): Promise<void> {
    try {
      const run = this.modules.get(AgentRunner, { strict: false }).proceed(runId);
      await run.started;
      await run.outcome;
    } catch (error) {
      // Somebody else has taken it, or it is over: that is no failure.
      if (error instanceof RunNotResumableError) return;
      this.logger.warn(
        `The job of run ${runId} failed: ${describeError(error)}. What is still queued is handed over again.`,
      );
      throw error;
    }
  }

  /** Nothing more is fetched from here on. */
  async onModuleDestroy(): Promise<void> {
    await this.worker.pause(true);
  }

  /** What runs is drained, and its jobs are done with, while the stores are open. Draining twice is harmless. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.modules.get(RunDrain, { strict: false }).beforeApplicationShutdown();
    await this.worker.close();
  }
}
