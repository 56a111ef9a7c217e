/** Remembers one ring, so that what rings while nobody waits is not lost. */
export class Doorbell {
  private rung = false;
  private answer: (() => void) | undefined;

  /** Wakes who waits, or the next one who will. */
  readonly ring = (): void => {
    this.rung = true;
    this.answer?.();
  };

  /** Forgets earlier rings. */
  silence(): void {
    this.rung = false;
  }

  /** Resolves at the next ring since `silence()`, after `milliseconds`, or when the signal aborts; says whether it rang. Leaves no timer and no listener behind. */
  async heard(milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    if (this.rung || signal?.aborted === true) return this.rung;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.answer?.(), milliseconds);
      this.answer = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', this.ring);
        this.answer = undefined;
        resolve();
      };
      signal?.addEventListener('abort', this.ring, { once: true });
    });
    return this.rung;
  }
}
