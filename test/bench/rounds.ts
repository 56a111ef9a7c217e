/** One thing that is measured. */
export interface Contender {
  readonly name: string;
  /** How often per round. */
  readonly times: number;
  /** How many things one of them does. Default 1. */
  readonly parts?: number;
  once(): Promise<unknown>;
}

/** What a contender took. */
export interface Timing {
  readonly name: string;
  /** Microseconds for one, the median of all rounds. */
  readonly median: number;
  /** The fastest and the slowest round. */
  readonly fastest: number;
  readonly slowest: number;
}

const microseconds = async ({ once, times, parts = 1 }: Contender): Promise<number> => {
  const start = process.hrtime.bigint();
  for (let count = 0; count < times; count += 1) await once();
  return Number(process.hrtime.bigint() - start) / 1000 / times / parts;
};

const middle = (sorted: readonly number[]): number => {
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
};

/** Measures in turns, so that a busy moment of the machine hits all alike. The first round only warms up and is thrown away. */
export const inTurns = async (contenders: readonly Contender[], rounds: number): Promise<readonly Timing[]> => {
  const taken = contenders.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const time = await microseconds(contender);
      if (round > 0) taken[index]?.push(time);
    }
  }
  return contenders.map(({ name }, index) => {
    const sorted = (taken[index] ?? []).toSorted((a, b) => a - b);
    return { name, median: middle(sorted), fastest: sorted[0] ?? Number.NaN, slowest: sorted.at(-1) ?? Number.NaN };
  });
};
