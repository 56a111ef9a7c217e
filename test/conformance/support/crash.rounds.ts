import { Random } from '../../chaos/random.js';
import { CRASH_POINTS, type CrashPoint } from './crash.points.js';

/** How often the soak is lost at every point: `GATEHOUSE_SOAK=50`. Without it, every test run is lost once, at the points that say most. */
const ROUNDS = Number(process.env['GATEHOUSE_SOAK'] ?? 0);
/** The same seed is lost in the same order, after the same pauses. */
export const SEED = Number(process.env['GATEHOUSE_SEED'] ?? Date.now() % 1_000_000);

const LONGEST_PAUSE = 40;

/** One loss of a process. */
export interface Loss extends CrashPoint {
  /** For so many milliseconds the process stands at its point before it is lost: what goes on beside it (renewals, events) goes on. */
  readonly standing: number;
}

export interface CrashRounds {
  readonly round: number;
  readonly losses: readonly Loss[];
}

/** Every loss of this test run, by round. */
export function crashRounds(): readonly CrashRounds[] {
  if (ROUNDS === 0) {
    const always = CRASH_POINTS.filter((point) => point.always);
    return [{ round: 1, losses: always.map((point) => ({ ...point, standing: 0 })) }];
  }
  const random = new Random(SEED);
  return Array.from({ length: ROUNDS }, (_, at) => {
    const losses = CRASH_POINTS.map((point) => ({ ...point, standing: random.below(LONGEST_PAUSE) }));
    return { round: at + 1, losses: random.shuffled(losses) };
  });
}
