/** A small seeded generator (mulberry32): the same seed gives the same plan. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 up to, not including, `end`; whole. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) throw new RangeError('There is nothing to pick from.');
    return picked;
  }

  shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, at: this.below(1_000_000) }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ item }) => item);
  }

  /** A generator of its own, so that what one part draws never changes what another does. */
  fork(): Random {
    return new Random(this.below(0x1_0000_0000));
  }

  private fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }
}
