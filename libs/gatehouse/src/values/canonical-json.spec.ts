import fc from 'fast-check';

import type { JsonValue } from '../contracts/json.js';
import { canonicalText } from './canonical-json.js';

// Built from code units: what the editor or a transport does to odd characters must not change the vector.
const euro = '\u20ac';

describe('canonicalText', () => {
  it('gives the text of the example in RFC 8785, 3.2.2', () => {
    const example = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: `${euro}$\u000f\u000aA'\u0042\u0022\u005c\\\u0022/`,
      literals: [null, true, false],
    };
    expect(canonicalText(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        `"string":"${euro}$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
    );
  });

  it('sorts keys by UTF-16 code units, as in RFC 8785, 3.2.3', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const text = canonicalText(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      '1',
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ]);
  });

  it.each([
    [-0, '0'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [9007199254740991, '9007199254740991'],
    ['', '""'],
    [[], '[]'],
    [{}, '{}'],
  ])('%j is %s', (value, text) => {
    expect(canonicalText(value)).toBe(text);
  });

  it('does not normalise: composed and decomposed letters stay two keys', () => {
    expect(canonicalText({ '\u00e9': 1, 'e\u0301': 2 })).toBe('{"e\u0301":2,"\u00e9":1}');
  });

  it.each([
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['NaN', [NaN]],
    ['Infinity', { a: Infinity }],
  ])('throws on %s', (_, value: JsonValue) => {
    expect(() => canonicalText(value)).toThrow();
  });

  it('throws on what a caller without types passes', () => {
    const nothing: unknown = undefined;
    expect(() => canonicalText(nothing as JsonValue)).toThrow('A value of type undefined has no canonical JSON text.');
  });

  it('keeps an own __proto__ key', () => {
    expect(canonicalText(JSON.parse('{"b":1,"__proto__":{"a":1}}') as JsonValue)).toBe('{"__proto__":{"a":1},"b":1}');
  });

  it('is stable: the canonical text of what it says is the text again, whatever the key order', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = canonicalText(value as JsonValue);
        expect(canonicalText(JSON.parse(text) as JsonValue)).toBe(text);
        expect(canonicalText(reversed(value as JsonValue))).toBe(text);
      }),
    );
  });
});

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}
