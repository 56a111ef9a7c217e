import { Injectable, Logger } from '@nestjs/common';
import { Wakeup } from '../contracts/ports/wakeup.js';

/** Wakes readers in this process. */
@Injectable()
export class InProcessWakeup extends Wakeup {
  private readonly logger = new Logger('gatehouse.wakeup');
  private readonly listeners = new Map<string, Set<() => void>>();

  override notify(runId: string): void {
    // A copy: a listener may end its own subscription.
    for (const listener of [...(this.listeners.get(runId) ?? [])]) this.call(listener);
  }

  /** Wakes everybody: for news that may have been missed. */
  notifyAll(): void {
    for (const runId of [...this.listeners.keys()]) this.notify(runId);
  }

  override subscribe(runId: string, listener: () => void): () => void {
    // Wrapped, so that one function subscribed twice is two subscriptions.
    const subscription = (): void => listener();
    const ofRun = this.listeners.get(runId) ?? new Set();
    this.listeners.set(runId, ofRun.add(subscription));
    return () => {
      ofRun.delete(subscription);
      if (ofRun.size === 0 && this.listeners.get(runId) === ofRun) this.listeners.delete(runId);
    };
  }

  /** How many runs somebody waits for. */
  get waiting(): number {
    return this.listeners.size;
  }

  private call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.logger.error(
        'A listener of a wakeup threw; the others were told.',
        error instanceof Error ? error.stack : undefined,
      );
    }
  }
}
