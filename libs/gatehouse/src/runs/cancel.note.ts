import { Injectable } from '@nestjs/common';
import { RunCancelledError, type CancelSource } from '../contracts/errors/run-cancelled.error.js';
import { RunStore } from '../contracts/ports/run.store.js';
import { onAbort } from '../values/on-abort.js';
import type { LiveRun } from './live.run.js';

const BY_PEOPLE: ReadonlySet<CancelSource> = new Set<CancelSource>(['client disconnected', 'requested']);

/** Tells other processes that a run of this one is being ended by its people: who says something else there is not refused, but waits for the end. */
@Injectable()
export class CancelNote {
  constructor(private readonly store: RunStore) {}

  /** Returns what ends the listening. */
  follow({ runId, cancellation }: LiveRun): () => void {
    const { signal } = cancellation;
    return onAbort(signal, () => void this.tell(runId, signal.reason));
  }

  private async tell(runId: string, why: unknown): Promise<void> {
    if (!(why instanceof RunCancelledError) || !BY_PEOPLE.has(why.source)) return;
    // Only a courtesy: without it they are refused until the run is over.
    await this.store.requestCancel(runId, why.source, why.reason).catch(() => undefined);
  }
}
