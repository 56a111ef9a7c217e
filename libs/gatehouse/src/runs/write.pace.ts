import { Injectable } from '@nestjs/common';

import { Clock } from '../contracts/clock.js';

/** All in milliseconds. */
const LOOKED_BACK = 100;
const SHORTEST = 10;
const LONGEST = 100;
/** So that all together write some five thousand times a second, whatever their number. */
const FOR_EACH = 0.2;

/**
 * How long a run gathers what it says before it writes again: after a silence a word goes out at once, the following ones together. The more runs speak at a
 * time, the longer: ten milliseconds for a few, a hundred for five hundred.
 */
@Injectable()
export class WritePace {
  private speakers = new Set<string>();
  private spokeBefore = 0;
  private since = 0;

  constructor(private readonly clock: Clock) {}

  /** When a run wrote, for `pause`. */
  now(): number {
    return this.clock.monotonic();
  }

  /** Milliseconds for which a run that wrote then still gathers; 0: it writes at once. */
  pause(runId: string, wroteAt: number): number {
    const now = this.clock.monotonic();
    if (now - this.since >= LOOKED_BACK) {
      this.spokeBefore = now - this.since < 2 * LOOKED_BACK ? this.speakers.size : 0;
      this.speakers = new Set();
      this.since = now;
    }
    this.speakers.add(runId);
    const speaking = Math.max(this.spokeBefore, this.speakers.size);
    const gathers = Math.min(LONGEST, Math.max(SHORTEST, speaking * FOR_EACH));
    return Math.max(0, wroteAt + gathers - now);
  }
}
