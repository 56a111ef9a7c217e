/** A place where code waits until a test lets it through. */
export class Gate {
  private readonly arrivals: (() => void)[] = [];
  private readonly waiting: (() => void)[] = [];
  private arrived = 0;

  constructor(private opened = false) {}

  /** Waits here; rejects with the signal's reason when it aborts. */
  async pass(signal?: AbortSignal): Promise<void> {
    this.arrived += 1;
    for (const told of this.arrivals.splice(0)) told();
    signal?.throwIfAborted();
    if (this.opened) return;
    await new Promise<void>((resolve, reject) => {
      this.waiting.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }

  /** Resolves once somebody waits here. */
  async reached(): Promise<void> {
    if (this.arrived > 0) return;
    await new Promise<void>((resolve) => this.arrivals.push(resolve));
  }

  open(): void {
    this.opened = true;
    for (const pass of this.waiting.splice(0)) pass();
  }
}
