/** How many more bytes of JSON may be written. Whatever is looked at takes from it, so it bounds the work as well. */
export class ByteBudget {
  constructor(private remaining: number) {}

  get left(): number {
    return Math.max(0, this.remaining);
  }

  get spent(): boolean {
    return this.remaining <= 0;
  }

  take(bytes: number): void {
    this.remaining -= bytes;
  }
}
