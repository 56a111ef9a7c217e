import { randomBytes } from './random.pool.js';

describe('randomBytes', () => {
  it('never hands out the same bytes twice, and leaves what it handed out alone', () => {
    const taken = Array.from({ length: 2000 }, () => randomBytes(16));
    const before = taken.map((bytes) => Buffer.from(bytes).toString('hex'));
    randomBytes(8192);
    expect(taken.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(before);
    expect(new Set(before).size).toBe(2000);
  });
});
