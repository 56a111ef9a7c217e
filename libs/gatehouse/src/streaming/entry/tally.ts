/** Counts by kind. */
export class Tally {
  readonly counts: Record<string, number> = {};

  add(kind: string, count: number): void {
    if (count > 0) this.counts[kind] = (this.counts[kind] ?? 0) + count;
  }
}
