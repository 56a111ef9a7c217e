import type { ModuleRef } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { RunDispatcher } from '../../contracts/ports/run.dispatcher.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { LocalDispatcher } from '../../runs/local.dispatcher.js';
import type { RunJob } from './run.job.js';

/**
 * Hands runs to workers through a BullMQ queue; `RunQueueModule` provides it. A run that only this process can execute (an inline executor, roles of
 * its own) goes on here.
 */
export class BullMqDispatcher extends RunDispatcher {
  private readonly here: LocalDispatcher;

  constructor(
    private readonly queue: Queue<RunJob>,
    private readonly modules: ModuleRef,
  ) {
    super();
    this.here = new LocalDispatcher(modules);
  }

  override async dispatch(runId: string): Promise<void> {
    const run = await this.modules.get(RunReader, { strict: false }).run(runId);
    if (run === undefined) return;
    if (run.local) return this.here.dispatch(runId);
    // Each take-over has its own epoch, and so its own job: dispatching twice adds one, and a job under way keeps no later one out.
    const jobId = `${runId}.${run.epoch}`;
    await this.queue.add('run', { runId }, { jobId, attempts: 1, removeOnComplete: true, removeOnFail: true });
  }
}
