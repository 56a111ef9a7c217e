import { oneLine } from './one-line.js';

describe('oneLine', () => {
  it.each([
    ['plain text, äöü 漢字 stays', 'plain text, äöü 漢字 stays'],
    ['a\nb\r\tc\u2028d', 'a\\u{a}b\\u{d}\\u{9}c\\u{2028}d'],
    ['\u202Eevil\u2066', '\\u{202e}evil\\u{2066}'],
    ['zero\u200Bwidth\uFEFF', 'zero\\u{200b}width\\u{feff}'],
    ['tag \u{E0041}', 'tag \\u{e0041}'],
    ['filler \u3164\u2800', 'filler \\u{3164}\\u{2800}'],
    ['nul \0', 'nul \\u0000'],
    ['lone \uD800', 'lone \uFFFD'],
  ])('%p is %p', (text, line) => {
    expect(oneLine(text, 100)).toBe(line);
  });

  it('is at most as long as asked for, and says that it was cut', () => {
    expect(oneLine('x'.repeat(200), 100)).toBe(`${'x'.repeat(72)} [truncated: 200 characters]`);
    expect(oneLine('\n'.repeat(1_000_000), 300)).toHaveLength(300);
  });
});
