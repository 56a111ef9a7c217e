import { setMaxListeners } from 'node:events';
import { RunCancelledError, type CancelSource } from '../contracts/errors/run-cancelled.error.js';
import { onAbort } from '../values/on-abort.js';

/** The one signal of a run: client, cancel, shutdown, parent and a lost lease all end here. The first reason stands. */
export class RunCancellation {
  private readonly controller = new AbortController();

  constructor() {
    // Every call under way listens, and many may be: that is no leak.
    setMaxListeners(0, this.controller.signal);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  cancel(source: CancelSource, reason = '', cause?: unknown): void {
    this.stop(new RunCancelledError(source, reason, cause === undefined ? undefined : { cause }));
  }

  /** Ends everything under way with an error of its own, such as a lost lease. */
  stop(error: Error): void {
    if (!this.controller.signal.aborted) this.controller.abort(error);
  }

  /** Follows a caller's signal; its own reason becomes the cause. Returns what ends the following. */
  follow(signal: AbortSignal | undefined, source: CancelSource): () => void {
    if (signal === undefined) return () => undefined;
    return onAbort(signal, () => this.cancel(source, '', signal.reason));
  }
}
