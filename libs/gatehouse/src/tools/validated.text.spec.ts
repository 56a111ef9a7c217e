import { validatedText } from './validated.text.js';

class Money {
  constructor(
    readonly amount: number,
    readonly at = new Date(0),
  ) {}
}

describe('validatedText', () => {
  it('writes instances as their members, keys sorted', () => {
    expect(validatedText({ b: new Money(5), a: undefined, c: [undefined, -0] })).toBe(
      '{"b":{"amount":5,"at":"1970-01-01T00:00:00.000Z"},"c":[null,0]}',
    );
  });

  it('two different maps, sets and bigints never read alike', () => {
    expect([new Map([['a', 1]]), new Map([['a', 2]]), new Set([1]), 5n].map(validatedText)).toEqual([
      '[["a",1]]',
      '[["a",2]]',
      '[1]',
      '"5"',
    ]);
  });

  it('the same part twice is no cycle', () => {
    const part = { x: 1 };
    expect(validatedText({ a: part, b: part })).toBe('{"a":{"x":1},"b":{"x":1}}');
  });

  it('what has no text is refused where it stands', () => {
    const ring: { self?: unknown } = {};
    ring.self = ring;
    expect(() => validatedText({ a: { b: () => 1 } })).toThrow('Validated arguments hold a function at /a/b.');
    expect(() => validatedText({ a: /x/ })).toThrow('Validated arguments hold a RegExp at /a.');
    expect(() => validatedText(ring)).toThrow(
      'Validated arguments hold a reference back to what contains it at /self.',
    );
    expect(() => validatedText({ a: Number.NaN })).toThrow('NaN');
  });
});
