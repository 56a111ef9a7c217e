import { runInNewContext } from 'node:vm';

import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../contracts/json.js';
import { sanitize, sanitizeText } from './sanitizer.js';
import { isWellFormed } from './visible-text.js';

const bytesOf = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value), 'utf8');

class Point {
  readonly x = 1;
  get area(): number {
    return 2;
  }
}
class Celsius {
  toJSON(): unknown {
    return { degrees: 20n };
  }
}
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const cycle: Record<string, unknown> = { a: { list: [] } };
(cycle['a'] as { list: unknown[] }).list.push(cycle, cycle['a']);
const shared = { k: 1 };

describe('sanitize', () => {
  it.each([
    ['plain JSON, as it is', { b: [1, 'x', null, true], a: {} }, { b: [1, 'x', null, true], a: {} }],
    ['undefined', undefined, null],
    ['undefined in an object and in a list', { a: undefined, b: [undefined] }, { b: [null] }],
    ['holes', Array(2), [null, null]],
    ['numbers JSON cannot hold', [NaN, Infinity, -Infinity, -0], ['[NaN]', '[Infinity]', '[-Infinity]', 0]],
    ['bigints, exact', [9007199254740993n, -1n], ['9007199254740993', '-1']],
    ['a bigint of a million digits', 1n << 4_000_000n, '[bigint: 1000001 hexadecimal digits]'],
    ['symbols and functions', [Symbol('s'), () => 1, Point], ['[symbol]', '[function]', '[function]']],
    ['dates', [new Date(0), new Date(NaN)], ['1970-01-01T00:00:00.000Z', '[invalid date]']],
    ['a date of another realm', runInNewContext('new Date(0)'), '1970-01-01T00:00:00.000Z'],
    [
      'a map',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, { b: 1n }],
        [{}, 3],
        [[], 4],
        ['2', 5],
      ]),
      { a: 1, 2: { b: '1' }, '[object]': 3, '[object]#2': 4, '2#2': 5 },
    ],
    ['a set', new Set([1, 'x', new Set([2])]), [1, 'x', [2]]],
    ['a map and a set of another realm', runInNewContext('[new Map([["a", 1]]), new Set([1])]'), [{ a: 1 }, [1]]],
    [
      'binary',
      [Buffer.from('abc'), new Float64Array(2), new ArrayBuffer(5), new DataView(new ArrayBuffer(3))],
      ['[binary: 3 bytes]', '[binary: 16 bytes]', '[binary: 5 bytes]', '[binary: 3 bytes]'],
    ],
    [
      'an error, without its stack or extras',
      Object.assign(new TypeError('boom'), { config: { password: 'x' } }),
      { name: 'TypeError', message: 'boom' },
    ],
    ['an abort', new DOMException('gone', 'AbortError'), { name: 'AbortError', message: 'gone' }],
    ['boxed primitives', [Object('x'), Object(1), Object(true), Object(1n)], ['x', 1, true, '1']],
    [
      'a regular expression, a promise, a url',
      [/a"b/g, Promise.resolve(1), new URL('http://a.b/c')],
      ['/a"b/g', '[promise]', 'http://a.b/c'],
    ],
    ['an instance: its own members', new Point(), { x: 1 }],
    ['an object without prototype', Object.assign(Object.create(null) as object, { a: 1 }), { a: 1 }],
    ['toJSON', new Celsius(), { degrees: '20' }],
    [
      'toJSON that hands back itself',
      {
        a: 1,
        toJSON(this: unknown) {
          return this;
        },
      },
      { a: 1, toJSON: '[function]' },
    ],
    ['toJSON that hands back another with toJSON', { toJSON: () => new Celsius() }, {}],
    [
      'toJSON that throws',
      [
        {
          toJSON() {
            throw new Error('no');
          },
        },
        1,
      ],
      ['[unreadable]', 1],
    ],
    ['toJSON that is a value', { toJSON: 'x' }, { toJSON: 'x' }],
    [
      'a getter that throws costs its member only',
      {
        get bad(): never {
          throw new Error('no');
        },
        good: 1,
      },
      { bad: '[unreadable]', good: 1 },
    ],
    ['a revoked proxy', { a: revoked, b: 1 }, { a: '[unreadable]', b: 1 }],
    [
      'a proxy that throws on any read',
      new Proxy(
        { a: 1 },
        {
          get() {
            throw new Error('no');
          },
        },
      ),
      { a: '[unreadable]' },
    ],
    ['a cycle', cycle, { a: { list: ['[circular]', '[circular]'] } }],
    ['the same object twice is no cycle', [shared, { shared }], [{ k: 1 }, { shared: { k: 1 } }]],
    ['NUL in values and keys', { 'a\0': 'b\0c' }, { 'a\\u0000': 'b\\u0000c' }],
    [
      'lone surrogates in values and keys',
      { '\ud800': 'x\udc00', '\udfff': 1 },
      { '\ufffd': 'x\ufffd', '\ufffd#2': 1 },
    ],
    [
      'constructor as a key',
      JSON.parse('{"constructor":{"prototype":{"a":1}}}'),
      { constructor: { prototype: { a: 1 } } },
    ],
  ])('%s', (_, value: unknown, expected: unknown) => {
    expect(sanitize(value)).toEqual(expected);
    expect(JSON.stringify(sanitize(value))).toBe(JSON.stringify(expected));
  });

  it('shows an own __proto__ key under a name that reaches no prototype', () => {
    const shown = sanitize(JSON.parse('{"__proto__":{"polluted":true},"a":1}')) as JsonObject;
    expect(JSON.stringify(shown)).toBe('{"[__proto__]":{"polluted":true},"a":1}');
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
    expect('polluted' in Object.assign({}, shown)).toBe(false);
  });

  it('does not change what it reads', () => {
    const value = { a: ['\0', { b: new Date(0) }] };
    sanitize(value, { maxBytes: 5 });
    expect(value).toEqual({ a: ['\0', { b: new Date(0) }] });
  });

  it('handles names that become equal in great number', () => {
    const value = Object.fromEntries(
      Array.from({ length: 2048 }, (_, index) => [String.fromCharCode(0xd800 + index), index]),
    );
    expect(Object.keys(sanitize(value) as object)).toHaveLength(2048);
  });
});

describe('sanitize, for any value', () => {
  const hostile = fc.anything({
    ...{ withBigInt: true, withDate: true, withMap: true, withSet: true, withSparseArray: true, withTypedArray: true },
    ...{ withBoxedValues: true, withNullPrototype: true, withObjectString: true, withUnicodeString: true },
    key: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'toJSON', 'constructor', '\0', '\ud800')),
    values: [
      fc.string({ unit: 'binary' }),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc.constantFrom<unknown>('\0', '\ud800', cycle, Symbol('s'), () => 1, new Error('\0'), NaN, -0, undefined, null),
      fc.double(),
      fc.bigInt(),
    ],
  });

  it('gives JSON that says the same after a round trip, without NUL and lone surrogates, within the caps', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: 1, max: 8 }),
        (value, maxBytes, maxDepth) => {
          const shown = sanitize(value, { maxBytes, maxDepth });
          const text = JSON.stringify(shown);
          expect(JSON.parse(text)).toEqual(shown);
          for (const part of texts(shown)) {
            expect(part).not.toContain('\0');
            expect(isWellFormed(part)).toBe(true);
          }
          expect(bytesOf(shown)).toBeLessThanOrEqual(maxBytes + 64 * (maxDepth + 1));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('leaves JSON as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const json = JSON.stringify(value);
        fc.pre(!json.includes('\\u0000') && !json.includes('"__proto__"'));
        expect(JSON.stringify(sanitize(value))).toBe(json);
      }),
    );
  });
});

describe('sanitizeText', () => {
  it('makes visible what Postgres refuses, and keeps the rest', () => {
    expect(sanitizeText('a\0b\ud800 ok\n')).toBe('a\\u0000b\ufffd ok\n');
  });

  it('cuts at 65536 characters, with a marker', () => {
    expect(sanitizeText('x'.repeat(65_536))).toBe('x'.repeat(65_536));
    expect(sanitizeText('x'.repeat(100_000))).toBe(`${'x'.repeat(65_536 - 31)} [truncated: 100000 characters]`);
    expect(sanitizeText('\0'.repeat(65_536)).length).toBe(65_536);
  });
});

function texts(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...texts(member)]);
}
