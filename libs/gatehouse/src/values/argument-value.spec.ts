import { runInNewContext } from 'node:vm';

import { checkArguments } from './argument-text.js';

class Money {
  constructor(readonly amount: number) {}
}

describe('checkArguments', () => {
  it('hands back a copy and its canonical text', () => {
    const nested = { b: [1, -0] };
    const checked = checkArguments({ z: nested, a: 'x' });
    expect(checked).toEqual({ ok: true, value: { z: { b: [1, 0] }, a: 'x' }, canonical: '{"a":"x","z":{"b":[1,0]}}' });
    nested.b[0] = 2;
    expect(checked).toMatchObject({ value: { z: { b: [1, 0] } } });
  });

  it.each([
    ['members that are undefined, dropped', { a: undefined, b: 1 }, '{"b":1}'],
    ['an object without prototype', Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
    ['an object of another realm', runInNewContext('({ a: [{}] })'), '{"a":[{}]}'],
    ['the same object twice', ((shared) => ({ a: shared, b: [shared] }))({ k: 1 }), '{"a":{"k":1},"b":[{"k":1}]}'],
    [
      'a getter, read once',
      {
        get a() {
          return ++reads;
        },
      },
      '{"a":1}',
    ],
  ])('accepts %s', (_, value, canonical) => {
    expect(checkArguments(value)).toMatchObject({ ok: true, canonical });
  });

  const cycle: Record<string, unknown> = { list: [] };
  (cycle['list'] as unknown[]).push(cycle);
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const notPlain = 'The arguments have an object that is no plain object (a Date, Map or other class instance)';

  it.each([
    ['undefined', undefined, 'The arguments are not a JSON object. Write an object.'],
    ['a list', [], 'The arguments are not a JSON object. Write an object.'],
    ['text', '{}', 'The arguments are not a JSON object. Write an object.'],
    ['a cycle', cycle, 'The arguments have a reference back to what contains it at /list/0.'],
    ['a function', { a: [() => 1] }, 'The arguments have a value of type function at /a/0.'],
    ['a symbol', { a: Symbol('s') }, 'The arguments have a value of type symbol at /a.'],
    ['a bigint', { a: 1n }, 'The arguments have a value of type bigint at /a. Write a string of digits.'],
    ['a date', { a: new Date() }, `${notPlain} at /a. Pass plain JSON.`],
    ['a map', { a: new Map() }, `${notPlain} at /a. Pass plain JSON.`],
    ['a buffer', { a: Buffer.from('x') }, `${notPlain} at /a. Pass plain JSON.`],
    ['an instance, even at the top', new Money(1), `${notPlain} at the top level. Pass plain JSON.`],
    ['toJSON', { a: { toJSON: () => 1 } }, 'The arguments have a value of type function at /a/toJSON.'],
    ['NaN', { a: NaN }, 'The arguments have a number that is not finite at /a.'],
    [
      'undefined in a list',
      { a: [1, undefined] },
      'The arguments have undefined or nothing in an array at /a/1. Write null.',
    ],
    [
      'a hole in a list',
      { a: Array(2 ** 32 - 1) },
      'The arguments have undefined or nothing in an array at /a/0. Write null.',
    ],
    ['an own __proto__', JSON.parse('{"__proto__":{}}'), 'The arguments have a key that is not allowed at /__proto__.'],
    [
      'a lone surrogate',
      { a: '\ud800' },
      'The arguments have a string with a lone surrogate at /a. Write whole characters.',
    ],
    [
      'a getter that throws',
      {
        get a(): never {
          throw new Error('secret');
        },
      },
      'The arguments could not be read. Pass plain JSON.',
    ],
    ['a revoked proxy', revoked, 'The arguments could not be read. Pass plain JSON.'],
    [
      'an endless list',
      { a: new Proxy([], { get: (_, key) => (key === 'length' ? Infinity : 1) }) },
      'The arguments are larger than 256 KiB. Send less.',
    ],
    ['an endless depth', { a: endless() }, 'The arguments are nested deeper than 64 levels. Nest less.'],
    ['a value that unfolds without end', { a: doubled(40) }, 'The arguments are larger than 256 KiB. Send less.'],
    ['too many bytes', { a: '\u20ac'.repeat(90_000) }, 'The arguments are larger than 256 KiB. Send less.'],
  ])('refuses %s', (_, value, problem) => {
    expect(checkArguments(value)).toEqual({ ok: false, problem });
  });
});

let reads = 0;

function endless(): object {
  return new Proxy(
    {},
    {
      ownKeys: () => ['a'],
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
