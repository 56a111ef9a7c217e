import fc from 'fast-check';

import { isWellFormed } from '../visible-text.js';
import { fitJsonBytes, jsonBytes } from './json-bytes.js';

describe('fitJsonBytes', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['abc', 0, ''],
    ['abc', -1, ''],
    ['"""', 3, '"'],
    ['\u20ac\u20ac', 5, '\u20ac'],
    ['\u{1f600}', 3, ''],
    ['\u{1f600}', 4, '\u{1f600}'],
    ['a\u0001b', 6, 'a'],
    ['a\u0001b', 7, 'a\u0001'],
  ])('%j in %d bytes is %j', (text, max, start) => {
    expect(fitJsonBytes(text, max)).toBe(start);
  });

  it('keeps as many whole characters as fit, and no more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(120), (text, max) => {
        const start = fitJsonBytes(text, max);
        const [next] = text.slice(start.length);
        expect(text.startsWith(start)).toBe(true);
        expect(isWellFormed(start)).toBe(true);
        expect(jsonBytes(start)).toBeLessThanOrEqual(max);
        if (next !== undefined) expect(jsonBytes(start + next)).toBeGreaterThan(max);
      }),
    );
  });
});
