import { boundsOf, monthAt, monthInstants, monthOf, monthStart } from './log.month.js';

describe('a month of the log', () => {
  it('is that of the time in an id, UTC', () => {
    expect(monthOf('019b7fff-ffff-7000-8000-000000000000')).toBe(monthAt(new Date(0x019b7fffffff)));
    expect(monthAt(new Date('2026-11-30T23:59:59.999Z'))).toBe('202611');
    expect(monthAt(new Date('2026-12-01T00:00:00.000Z'))).toBe('202612');
  });

  it('begins where the one before ends, leap day and year end included', () => {
    for (const [month, next] of [
      ['202402', '202403'],
      ['202512', '202601'],
    ] as const) {
      expect(monthInstants(month).until).toBe(monthInstants(next).from);
      expect(boundsOf(month).high).toBe(boundsOf(next).low);
      expect(monthOf(boundsOf(month).low)).toBe(month);
      expect(monthOf(boundsOf(month).high)).toBe(next);
    }
    expect(monthInstants('202402')).toEqual({ from: Date.UTC(2024, 1, 1), until: Date.UTC(2024, 1, 30) });
  });

  it('is written with a dash or without, and nothing else is one', () => {
    expect(monthStart('2026-11')).toEqual(monthStart('202611'));
    expect(['', '2026', '202613', '2026-1', '202600', '1202611', 'x'].map(monthStart)).toEqual(
      Array(7).fill(undefined),
    );
    expect(() => boundsOf('2026')).toThrow(RangeError);
  });
});
