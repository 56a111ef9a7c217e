/** Tells within this process that a transaction may have left facts in the outbox. Only a hint: whoever misses it polls. */
export class FactSignal {
  private readonly listeners = new Set<() => void>();

  left(): void {
    for (const listener of this.listeners) listener();
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
