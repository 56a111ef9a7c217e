import { retryDelay } from './retry.delay.js';

describe('the delay of a notice', () => {
  it('doubles from a second to an hour, and ends with the twentieth attempt', () => {
    expect([1, 2, 3, 12, 13, 19].map(retryDelay)).toEqual([1_000, 2_000, 4_000, 2_048_000, 3_600_000, 3_600_000]);
    expect([20, 21].map(retryDelay)).toEqual([undefined, undefined]);
  });
});
