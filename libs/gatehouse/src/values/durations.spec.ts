import { toMilliseconds } from './durations.js';

describe('toMilliseconds', () => {
  it.each([
    [0, 0],
    [1500, 1500],
    ['250', 250],
    ['500ms', 500],
    ['60s', 60_000],
    ['15m', 900_000],
    ['1.5h', 5_400_000],
    ['7 days', 604_800_000],
    [' 2s ', 2_000],
  ])('%j is %d', (duration, milliseconds) => {
    expect(toMilliseconds(duration, 'x')).toBe(milliseconds);
  });

  it.each(['', ' ', 'soon', '15 parsecs', '-5m', '1m30s', 'NaN', 'Infinity', '9'.repeat(400), -1, NaN, Infinity])(
    'refuses %j',
    (duration) => {
      expect(() => toMilliseconds(duration, 'x')).toThrow(TypeError);
    },
  );

  it('names the option, shows what was written and says what to write', () => {
    expect(() => toMilliseconds('soon', 'runs.lease')).toThrow(
      "runs.lease is 'soon', which is no duration. " +
        "Write a number of milliseconds that is 0 or more, or text such as '500ms', '60s', '15m', '24h' or '7d'.",
    );
    expect(() => toMilliseconds(-3, 'runs.lease')).toThrow('runs.lease is -3, which');
  });

  it('refuses what a caller without types passes', () => {
    const fromEnvironment: unknown = JSON.parse('null');
    expect(() => toMilliseconds(fromEnvironment as number, 'runs.lease')).toThrow(
      'runs.lease is of type object, which',
    );
  });
});
