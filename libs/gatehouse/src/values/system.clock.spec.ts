import { Clock } from '../contracts/clock.js';
import { SystemClock } from './system.clock.js';

describe('SystemClock', () => {
  const clock = new SystemClock();

  it('tells the time of the machine', () => {
    const before = Date.now();
    const now = clock.now().getTime();
    expect(clock).toBeInstanceOf(Clock);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('never goes back', () => {
    const readings = Array.from({ length: 1000 }, () => clock.monotonic());
    expect([...readings].sort((a, b) => a - b)).toEqual(readings);
  });
});
