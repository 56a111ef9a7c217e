import { Injectable } from '@nestjs/common';
import type { OperationFinished } from '../contracts/operation.js';

const MOST_RUNS = 1_000;

/** Failed operations of runs that were suspended here, the very facts: a run that goes on in this process can raise the very error. */
@Injectable()
export class KeptFailures {
  private readonly runs = new Map<string, readonly OperationFinished[]>();

  keep(runId: string, failures: readonly OperationFinished[]): void {
    if (failures.length === 0) return;
    this.runs.set(runId, failures);
    // Runs that went on elsewhere never come back for theirs.
    const [oldest] = this.runs.keys();
    if (this.runs.size > MOST_RUNS && oldest !== undefined) this.runs.delete(oldest);
  }

  take(runId: string): readonly OperationFinished[] {
    const kept = this.runs.get(runId) ?? [];
    this.runs.delete(runId);
    return kept;
  }
}
