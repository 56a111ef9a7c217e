import { setTimeout as pause } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import { RunReader } from '../contracts/ports/run.reader.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunFeed } from '../runs/run.feed.js';
import { RunIntake } from '../runs/run.intake.js';
import { describeError } from '../values/error-text.js';
import { LONGEST_TIMER } from '../values/timers.js';
import { RemoteWatch, type Waiting } from './remote.watch.js';

/** What a leaving client means for a run that another process executes, or will: it is cancelled, once nobody watches it elsewhere. */
@Injectable()
export class RemoteLeave {
  private readonly logger = new Logger('gatehouse.streams');
  /** Runs that their last client here has left lately. `done`: they were asked to cancel, or need not be. */
  private readonly leaving = new Map<string, { readonly hurry: AbortController; readonly done: Promise<void> }>();

  constructor(
    private readonly reader: RunReader,
    private readonly watch: RemoteWatch,
    private readonly intake: RunIntake,
    private readonly feed: RunFeed,
    private readonly options: ResolvedOptions,
  ) {}

  /**
   * The last client here has left. Resolves once the run was asked to cancel, or need not be; `stop` ends the waiting for that. Never throws: where the store is
   * away, the run's owner finds out by itself once nobody notes a watch.
   */
  async left(runId: string, stop: AbortSignal): Promise<void> {
    const hurry = new AbortController();
    const leave = { hurry, done: this.leave(runId, { stop, hurry: hurry.signal }) };
    this.leaving.set(runId, leave);
    await leave.done;
    // It takes its time to end, and may be asked for until then.
    void pause(Math.min(this.options.runs.grace * 2, LONGEST_TIMER), undefined, { ref: false }).then(() => {
      if (this.leaving.get(runId) === leave) this.leaving.delete(runId);
    });
  }

  /** Waits for a run to be over that is being cancelled, and for one that was just left, which ends at once: its owner already says something else. */
  async settled({ id, lastSeq, cancelRequested }: StoredRun): Promise<void> {
    const leave = this.leaving.get(id);
    if (leave === undefined && cancelRequested === undefined) return;
    leave?.hurry.abort();
    await leave?.done;
    const signal = AbortSignal.timeout(Math.min(this.options.runs.grace * 2, LONGEST_TIMER));
    for await (const _ of this.feed.follow(id, lastSeq, { until: 'run', signal }));
  }

  private async leave(runId: string, waiting: Waiting): Promise<void> {
    try {
      const run = await this.reader.run(runId);
      if (run === undefined || !isUnderWay(run)) return;
      if (!(await this.watch.unread(runId, waiting))) return;
      const now = await this.reader.run(runId);
      if (waiting.stop.aborted || now === undefined || !goesOn(run, now)) return;
      await this.intake.cancelElsewhere(runId, 'client disconnected');
    } catch (error) {
      this.logger.warn(
        `Run ${runId}, which its client left, could not be cancelled from here: ${describeError(error)}`,
      );
    }
  }
}

const isUnderWay = ({ status }: StoredRun): boolean => status === 'queued' || status === 'running';

/** Not once it has waited, and was resumed: nobody need be attached then. */
function goesOn(before: StoredRun, now: StoredRun): boolean {
  if (before.status === now.status) return isUnderWay(now) && before.epoch === now.epoch;
  return before.status === 'queued' && now.status === 'running' && before.epoch + 1 === now.epoch;
}
