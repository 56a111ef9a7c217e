import { setTimeout as pause } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import { RunIntake } from '../runs/run.intake.js';
import { describeError } from '../values/error-text.js';
import { RemoteWatch } from './remote.watch.js';
import { RunReaders } from './run.readers.js';

/** What a leaving client means for a run that another process executes, or will: it is cancelled, unless somebody watches it elsewhere. */
@Injectable()
export class RemoteLeave {
  private readonly logger = new Logger('gatehouse.streams');

  constructor(
    private readonly reader: RunReader,
    private readonly store: RunStore,
    private readonly readers: RunReaders,
    private readonly watch: RemoteWatch,
    private readonly intake: RunIntake,
  ) {}

  /** The last client here has left. Never throws: where the store is away, the run's owner finds out by itself once nobody notes a watch. */
  async left(runId: string): Promise<void> {
    try {
      const run = await this.reader.run(runId);
      if (run?.status !== 'queued' && run?.status !== 'running') return;
      // Ours is gone; whoever watches elsewhere notes it again within this time.
      await this.store.unwatch([runId]);
      await pause(this.watch.every * 2, undefined, { ref: false });
      if (this.readers.of(runId) > 0 || (await this.store.watchedFor(runId)) > 0) return;
      await this.intake.cancelElsewhere(runId, 'client disconnected');
    } catch (error) {
      this.logger.warn(
        `Run ${runId}, which its client left, could not be cancelled from here: ${describeError(error)}`,
      );
    }
  }
}
