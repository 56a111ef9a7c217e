/** Tells waiting readers that a run has news. Only a latency hint: every waiter also polls. Replace by this DI token. */
export abstract class Wakeup {
  abstract notify(runId: string): void;
  /** Returns the function that ends the subscription. */
  abstract subscribe(runId: string, listener: () => void): () => void;
}
