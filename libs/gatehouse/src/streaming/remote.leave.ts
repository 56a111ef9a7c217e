import { setTimeout as pause } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunFeed } from '../runs/run.feed.js';
import { RunIntake } from '../runs/run.intake.js';
import { describeError } from '../values/error-text.js';
import { RemoteWatch } from './remote.watch.js';
import { RunReaders } from './run.readers.js';

/** What a leaving client means for a run that another process executes, or will: it is cancelled, unless somebody watches it elsewhere. */
@Injectable()
export class RemoteLeave {
  private readonly logger = new Logger('gatehouse.streams');
  /** Runs that their last client here has left lately. `done`: they were asked to cancel, or need not be. */
  private readonly leaving = new Map<string, { readonly hurry: AbortController; readonly done: Promise<void> }>();

  constructor(
    private readonly reader: RunReader,
    private readonly store: RunStore,
    private readonly readers: RunReaders,
    private readonly watch: RemoteWatch,
    private readonly intake: RunIntake,
    private readonly feed: RunFeed,
    private readonly options: ResolvedOptions,
  ) {}

  /** The last client here has left. Never throws: where the store is away, the run's owner finds out by itself once nobody notes a watch. */
  async left(runId: string): Promise<void> {
    const hurry = new AbortController();
    const leave = { hurry, done: this.leave(runId, hurry.signal) };
    this.leaving.set(runId, leave);
    await leave.done;
    // It takes its time to end, and may be asked for until then.
    await pause(this.options.runs.grace * 2, undefined, { ref: false });
    if (this.leaving.get(runId) === leave) this.leaving.delete(runId);
  }

  /** Ends at once, and until it is over waits for, a run that was just left: its owner already says something else. */
  async settled({ id, lastSeq }: StoredRun): Promise<void> {
    const leave = this.leaving.get(id);
    if (leave === undefined) return;
    leave.hurry.abort();
    await leave.done;
    const signal = AbortSignal.timeout(this.options.runs.grace * 2);
    for await (const _ of this.feed.follow(id, lastSeq, { until: 'run', signal }));
  }

  private async leave(runId: string, hurry: AbortSignal): Promise<void> {
    try {
      const run = await this.reader.run(runId);
      if (run?.status !== 'queued' && run?.status !== 'running') return;
      // Ours is gone; whoever watches elsewhere notes it again within this time.
      await this.store.unwatch([runId]);
      await pause(this.watch.every * 2, undefined, { ref: false, signal: hurry }).catch(() => undefined);
      if (this.readers.of(runId) > 0 || (await this.store.watchedFor(runId)) > 0) return;
      await this.intake.cancelElsewhere(runId, 'client disconnected');
    } catch (error) {
      this.logger.warn(
        `Run ${runId}, which its client left, could not be cancelled from here: ${describeError(error)}`,
      );
    }
  }
}
