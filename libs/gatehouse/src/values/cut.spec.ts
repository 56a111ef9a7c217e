import fc from 'fast-check';

import { cut } from './cut.js';
import { isWellFormed } from './visible-text.js';

describe('cut', () => {
  it('leaves what fits', () => {
    expect(cut('x'.repeat(40), 40)).toBe('x'.repeat(40));
    expect(cut('', 0)).toBe('');
  });

  it('says how long the whole was', () => {
    expect(cut('x'.repeat(500), 40)).toBe(`${'x'.repeat(12)} [truncated: 500 characters]`);
    expect(cut('x'.repeat(500), 40)).toHaveLength(40);
  });

  it('marks even where there is no room for words', () => {
    expect(cut('abcdef', 3)).toBe('ab…');
    expect(cut('abcdef', 1)).toBe('…');
    expect(cut('abcdef', 0)).toBe('');
  });

  it('does not split a surrogate pair', () => {
    expect(cut('a\u{1f600}bc', 3)).toBe('a…');
  });

  it('never exceeds the limit and stays well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(120), (text, max) => {
        const short = cut(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(isWellFormed(short)).toBe(true);
        expect(short === text).toBe(text.length <= max);
      }),
    );
  });
});
