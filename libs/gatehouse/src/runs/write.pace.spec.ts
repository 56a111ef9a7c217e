import { Clock } from '../contracts/clock.js';
import { WritePace } from './write.pace.js';

class HandClock extends Clock {
  time = 1_000;
  override now(): Date {
    return new Date(this.time);
  }
  override monotonic(): number {
    return this.time;
  }
}

describe('WritePace', () => {
  let clock: HandClock;
  let pace: WritePace;
  beforeEach(() => {
    clock = new HandClock();
    pace = new WritePace(clock);
  });

  it('lets a run that has not written lately write at once, and gathers ten milliseconds for one that has', () => {
    expect(pace.pause('a', 0)).toBe(0);
    expect(pace.pause('a', 1_000)).toBe(10);
    clock.time = 1_004;
    expect(pace.pause('a', 1_000)).toBe(6);
    clock.time = 1_010;
    expect(pace.pause('a', 1_000)).toBe(0);
  });

  it('gathers longer the more runs speak, a tenth of a second at the most, and forgets those that fell silent', () => {
    const speak = (count: number) => {
      for (let at = 0; at < count; at += 1) pace.pause(`run ${at}`, clock.time);
    };
    speak(200);
    expect(pace.pause('run 0', clock.time)).toBe(40);
    clock.time += 100;
    expect(pace.pause('run 0', clock.time)).toBe(40);
    speak(5_000);
    expect(pace.pause('run 0', clock.time)).toBe(100);
    clock.time += 1_000;
    expect(pace.pause('run 0', clock.time)).toBe(10);
  });
});
