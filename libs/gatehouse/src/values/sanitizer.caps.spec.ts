import type { JsonValue } from '../contracts/json.js';
import { sanitize } from './sanitizer.js';

const bytesOf = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value), 'utf8');

describe('the caps of sanitize', () => {
  it('cut a string, and say how long it was', () => {
    expect(sanitize('x'.repeat(10_485_760), { maxBytes: 5 })).toBe('xxxxx[truncated: 10485760 characters]');
    expect(sanitize({ a: 'x'.repeat(100), b: 1 }, { maxBytes: 16 })).toEqual({
      a: `${'x'.repeat(9)}[truncated: 100 characters]`,
      '[truncated]': '[truncated: 1 of 2 members]',
    });
  });

  it('cut a string between characters, by what its JSON takes', () => {
    expect(sanitize('\u{1f600}\u{1f600}', { maxBytes: 7 })).toBe('\u{1f600}[truncated: 4 characters]');
    expect(sanitize('\0\0', { maxBytes: 10 })).toBe('\\u0000\\u[truncated: 2 characters]');
    expect(sanitize('""""', { maxBytes: 5 })).toBe('""[truncated: 4 characters]');
  });

  it('cut lists and objects, and say how much is missing', () => {
    expect(sanitize([1, 2, 3, 4, 5, 6], { maxBytes: 6 })).toEqual([1, 2, '[truncated: 4 of 6 items]']);
    expect(sanitize({ a: 1, b: 2, c: 3 }, { maxBytes: 14 })).toEqual({
      a: 1,
      b: 2,
      '[truncated]': '[truncated: 1 of 3 members]',
    });
    expect(sanitize({ a: 1 }, { maxBytes: 0 })).toEqual({ '[truncated]': '[truncated: 1 of 1 members]' });
    expect(sanitize({ '[truncated]': 1, b: 'x'.repeat(99), c: 1 }, { maxBytes: 30 })).toHaveProperty(['[truncated]#2']);
  });

  it('cut what is too deep, and keep the rest', () => {
    expect(sanitize({ a: { b: { c: 1 } }, d: 2 }, { maxDepth: 2 })).toEqual({
      a: { b: '[truncated: deeper than 2 levels]' },
      d: 2,
    });
    expect(JSON.stringify(sanitize(JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)))).toBe(
      `${'['.repeat(64)}"[truncated: deeper than 64 levels]"${']'.repeat(64)}`,
    );
  });

  it('are not lifted by a cap that is none', () => {
    const long = 'x'.repeat(2_000_000);
    for (const maxBytes of [NaN, -1, 10]) expect(bytesOf(sanitize(long, { maxBytes }))).toBeLessThan(600_000);
    for (const maxDepth of [NaN, Infinity, 1e9])
      expect(bytesOf(sanitize(endless(), { maxDepth }))).toBeLessThan(600_000);
  });

  it.each([
    ['a string of 10 MB', () => 'x'.repeat(10_485_760)],
    ['10 MB of NUL', () => '\0'.repeat(10_485_760)],
    ['the longest sparse list', () => Array<undefined>(2 ** 32 - 1)],
    ['100k keys', () => Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, index]))],
    ['a key of 10 MB', () => ({ ['k'.repeat(10_485_760)]: 1, b: 2 })],
    ['a value that unfolds without end', () => doubled(60)],
    [
      '100k objects of members that are not there',
      () =>
        ((empty) => Array<object>(100_000).fill(empty))(
          Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [index, undefined])),
        ),
    ],
    ['an endless proxy', endless],
    ['an endless list', () => new Proxy([], { get: (_, key) => (key === 'length' ? Infinity : 1) })],
    ['a large set', () => new Set(Array.from({ length: 500_000 }, (_, index) => index))],
  ])('bound time and size: %s', (_, make: () => unknown) => {
    const value = make();
    const started = performance.now();
    const shown = sanitize(value);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(bytesOf(shown)).toBeLessThan(512 * 1024 + 64 * 64);
  });
});

function endless(): object {
  return new Proxy(
    {},
    {
      ownKeys: () => ['a', 'b'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: () => endless(),
    },
  );
}

function doubled(times: number): unknown {
  let value: unknown = 1;
  for (let index = 0; index < times; index++) value = [value, value];
  return value;
}
