import { NEVER_ABORTED } from './never.aborted.js';
import { timeBoxed } from './time-box.js';

const never = new Promise<never>(() => undefined);
const DAYS_30 = 30 * 24 * 60 * 60 * 1000;
const soon = () => new Promise<string>((resolve) => setTimeout(() => resolve('there'), 20));

describe('timeBoxed', () => {
  it('throws what was asked for once its time has passed', async () => {
    const overdue = () => new RangeError('late');
    await expect(timeBoxed(never, { milliseconds: 5, overdue, signal: NEVER_ABORTED, grace: 0 })).rejects.toEqual(
      new RangeError('late'),
    );
  });

  it('leaves its grace to what was aborted', async () => {
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(timeBoxed(never, { signal, grace: 5 })).rejects.toThrow('stop');
    expect(await timeBoxed(soon(), { signal, grace: 10_000 })).toBe('there');
  });

  it('does not end at once where a time is longer than a timer of Node can be', async () => {
    const { signal } = new AbortController();
    expect(await timeBoxed(soon(), { milliseconds: DAYS_30, signal, grace: 0 })).toBe('there');
    expect(await timeBoxed(soon(), { signal: AbortSignal.abort(), grace: DAYS_30 })).toBe('there');
  });
});
