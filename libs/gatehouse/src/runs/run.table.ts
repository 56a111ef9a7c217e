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
  /** Set at shutdown: nothing new starts here. */
  closed = false;

  add(runId: string, run: RunHere): void {
    this.runs.set(runId, run);
    const forget = () => {
      if (this.runs.get(runId) === run) this.runs.delete(runId);
    };
    run.outcome.then(forget, forget);
  }

  get(runId: string): RunHere | undefined {
    return this.runs.get(runId);
  }

  all(): readonly RunHere[] {
    return [...this.runs.values()];
  }
}
