import { Injectable } from '@nestjs/common';
import type { RunOutcome } from '../contracts/run.js';
import type { RunCancellation } from './run.cancellation.js';

/** A run of this process, from the moment it was asked for. */
export interface RunHere {
  readonly cancellation: RunCancellation;
  readonly outcome: Promise<RunOutcome>;
}

/** The runs under way in this process: who can be cancelled here, and who must be waited for at shutdown. */
@Injectable()
export class RunTable {
  private readonly runs = new Map<string, RunHere>();
  private readonly work = new Set<Promise<unknown>>();
  private shut = false;

  /** Since the shutdown: nothing new starts here. */
  get closed(): boolean {
    return this.shut;
  }

  /** What is under way is cancelled, and at once whatever was being opened and joins from now on. */
  close(): void {
    this.shut = true;
    for (const { cancellation } of this.runs.values()) cancellation.cancel('shutdown');
  }

  add(runId: string, run: RunHere): void {
    if (this.shut) run.cancellation.cancel('shutdown');
    this.runs.set(runId, run);
    const forget = () => {
      if (this.runs.get(runId) === run) this.runs.delete(runId);
    };
    void this.during(run.outcome).then(forget, forget);
  }

  get(runId: string): RunHere | undefined {
    return this.runs.get(runId);
  }

  /** What a shutdown waits for too: a run is being opened, or one that waits is being ended. */
  during<T>(work: Promise<T>): Promise<T> {
    this.work.add(work);
    const done = () => this.work.delete(work);
    work.then(done, done);
    return work;
  }

  /** Resolves once nothing is under way, nor what joined meanwhile. */
  async quiet(): Promise<void> {
    while (this.work.size > 0) await Promise.allSettled(this.work);
  }
}
