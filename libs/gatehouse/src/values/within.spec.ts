import { within } from './within.js';

const late = (): Error => new RangeError('late');
const never = new Promise<never>(() => undefined);

describe('within', () => {
  it('is the value, be it there or awaited', async () => {
    expect(await within(1, 5, late)).toBe(1);
    expect(await within(Promise.resolve(2), 1000, late)).toBe(2);
    expect(
      await within({ then: (resolve: (value: number) => void) => resolve(3) } as PromiseLike<number>, 1000, late),
    ).toBe(3);
  });

  it('is what the work throws', async () => {
    const error = new Error('kaboom');
    await expect(within(Promise.reject(error), 1000, late)).rejects.toBe(error);
  });

  it('throws what was asked for once its time has passed', async () => {
    await expect(within(never, 5, late)).rejects.toEqual(new RangeError('late'));
  });

  it('drops a late rejection', async () => {
    let reject: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_, fail) => (reject = fail));
    await expect(within(work, 5, late)).rejects.toThrow('late');
    reject(new Error('nobody listens'));
    // An unhandled rejection would fail this file.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('a time beyond what timers can count is no limit, and no time-out at once', async () => {
    const work = new Promise((resolve) => setImmediate(resolve, 'done'));
    expect(await within(work, Number.MAX_SAFE_INTEGER, late)).toBe('done');
    expect(await within(Promise.resolve('done'), Number.POSITIVE_INFINITY, late)).toBe('done');
  });
});
