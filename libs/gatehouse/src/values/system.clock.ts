import { Clock } from '../contracts/clock.js';

/** The machine's own clock; the default. */
export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }

  override monotonic(): number {
    return performance.now();
  }
}
