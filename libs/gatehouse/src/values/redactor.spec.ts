import fc from 'fast-check';

import { Redactor } from './redactor.js';

const card = /\b\d{16}\b/;

describe('Redactor, by name', () => {
  const redactor = new Redactor();

  it('hides the whole value, at any depth, and nothing else', () => {
    const value = {
      user: 'ann',
      credentials: { user: 'ann', parts: ['a', 'b'] },
      list: [{ apiKey: 'k1' }, { nested: [{ 'API-KEY': 'k2', keep: 1 }] }],
      token: 5,
      cookie: null,
    };
    expect(redactor.redact(value)).toEqual({
      user: 'ann',
      credentials: '[redacted]',
      list: [{ apiKey: '[redacted]' }, { nested: [{ 'API-KEY': '[redacted]', keep: 1 }] }],
      token: '[redacted]',
      cookie: '[redacted]',
    });
    expect(value.list[0]).toEqual({ apiKey: 'k1' });
  });

  it('hides in maps, instances, null-prototype objects and what toJSON gives', () => {
    class Login {
      readonly password = 'canary';
    }
    const bare = Object.assign(Object.create(null) as object, { password: 'canary' });
    const shown = redactor.redact([
      new Map([['pass-word', 'canary']]),
      new Login(),
      bare,
      { toJSON: () => ({ password: 'canary' }) },
    ]);
    expect(shown).toEqual([{ 'pass-word': '[redacted]' }, ...Array<unknown>(3).fill({ password: '[redacted]' })]);
  });

  it('does not read what it hides', () => {
    let reads = 0;
    redactor.redact({
      get password() {
        return ++reads;
      },
    });
    expect(reads).toBe(0);
  });

  it('does not look into JSON inside a string', () => {
    expect(redactor.redact('{"password":"x"}')).toBe('{"password":"x"}');
  });

  it("adds the host's names, whole and without case and separators, and patterns", () => {
    const ours = new Redactor({ keys: ['birth-date', /^x-.*-id$/gi] });
    const value = { birthDate: 1, BIRTH_DATE: 2, birthDates: 3, 'X-User-Id': 4, 'x-org-id': 5, password: 6 };
    const expected = { birthDate: '[hidden]', BIRTH_DATE: '[hidden]', birthDates: 3 };
    expect(new Redactor({ keys: ['birth-date'], placeholder: '[hidden]' }).redact(value)).toMatchObject(expected);
    for (let times = 0; times < 3; times++) {
      expect(ours.redact(value)).toEqual({
        ...{ birthDate: '[redacted]', BIRTH_DATE: '[redacted]', birthDates: 3 },
        'X-User-Id': '[redacted]',
        'x-org-id': '[redacted]',
        password: '[redacted]',
      });
    }
  });

  it('lets no canary through, however it is nested', () => {
    const wrap = fc.constantFrom<(inner: unknown) => unknown>(
      (inner) => [inner],
      (inner) => ({ a: 1, inner }),
      (inner) =>
        new Map<unknown, unknown>([
          [{}, 0],
          ['m', inner],
          [7, inner],
        ]),
      (inner) => new Set([inner, 1]),
      (inner) => ({ toJSON: () => inner }),
      (inner) => ({
        get lazily() {
          return inner;
        },
      }),
      (inner) => Object.assign(Object.create(null) as object, { inner }),
      (inner) => [null, [inner], inner],
    );
    const secret = fc.constantFrom<unknown>(
      'canary',
      ['canary'],
      { a: { b: 'canary' } },
      new Map([['canary', 'canary']]),
      new Set(['canary']),
      new Error('canary'),
    );
    const name = fc.constantFrom(
      'password',
      'api_key',
      'X-Auth-Token',
      'Set-Cookie',
      'clientSecret',
      'PAN',
      'private key',
      'AUTHORIZATION',
    );
    fc.assert(
      fc.property(
        name,
        secret,
        fc.boolean(),
        fc.array(wrap, { maxLength: 12 }),
        fc.integer({ min: 0, max: 3_000 }),
        (key, hidden, inMap, wraps, maxBytes) => {
          const innermost = inMap ? new Map([[key, hidden]]) : { [key]: hidden };
          const value = wraps.reduce<unknown>((inner, one) => one(inner), innermost);
          expect(JSON.stringify(redactor.redact(value, { maxBytes }))).not.toContain('canary');
          if (wraps.length === 0) expect(redactor.redact(value)).toEqual({ [key]: '[redacted]' });
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('Redactor, by value', () => {
  it('blanks what a pattern matches, in texts, keys, numbers, dates, errors', () => {
    const redactor = new Redactor({ valuePatterns: [card, /ann@example\.com/gi] });
    const value = {
      text: 'card 4111111111111111, mail Ann@Example.com and ann@example.com.',
      number: 4111111111111111,
      bigint: 4111111111111111n,
      '4111111111111111': 1,
      error: new Error('declined 4111111111111111'),
      map: new Map([['ann@example.com', true]]),
      amount: 12,
    };
    expect(redactor.redact(value)).toEqual({
      '[redacted]': 1,
      text: 'card [redacted], mail [redacted] and [redacted].',
      number: '[redacted]',
      bigint: '[redacted]',
      error: { name: 'Error', message: 'declined [redacted]' },
      map: { '[redacted]': true },
      amount: 12,
    });
    expect(redactor.redactText('pay 4111111111111111\0')).toBe('pay [redacted]\\u0000');
  });

  it.each(['', 'g', 'y', 'gy'])('answers the same every time and leaves the pattern alone: flags %j', (flags) => {
    const pattern = new RegExp('secret', flags);
    pattern.lastIndex = 3;
    const redactor = new Redactor({ valuePatterns: [pattern] });
    for (let times = 0; times < 3; times++)
      expect(redactor.redactText('a secret, a secret')).toBe('a [redacted], a [redacted]');
    expect(pattern.lastIndex).toBe(3);
  });

  it('puts the placeholder as it is written', () => {
    expect(new Redactor({ valuePatterns: [/(secret)/], placeholder: '$1$&' }).redactText('secret')).toBe('$1$&');
  });

  it('finds what lies across a cut, and shows no half of it', () => {
    const redactor = new Redactor({ valuePatterns: [card] });
    for (let maxBytes = 1; maxBytes < 40; maxBytes++) {
      expect(redactor.redact('a card: 4111111111111111 and more', { maxBytes })).not.toMatch(/4111/);
    }
  });

  it('bounds its work by what it reads, not by what is left of it', () => {
    const redactor = new Redactor({ valuePatterns: [/x+/] });
    expect(redactor.redact(Array<string>(100).fill('x'.repeat(1_000)), { maxBytes: 2_500 })).toEqual([
      ...['[redacted]', '[redacted]', '[redacted]'],
      '[truncated: 97 of 100 items]',
    ]);
  });

  it('does not hide by default', () => {
    expect(new Redactor().redactText('4111111111111111')).toBe('4111111111111111');
  });
});

describe("Redactor, by the host's function", () => {
  it('shows what the function gives, which may be hostile too, with the path of each value', () => {
    const paths: string[] = [];
    const redactor = new Redactor({
      redact(value, path) {
        paths.push(path.join('.'));
        if (path.at(-1) === 'gone') return undefined;
        return path.at(-1) === 'odd' ? [1n, '\0', { password: 'x' }] : value;
      },
    });
    expect(redactor.redact({ a: [{ odd: 1 }], gone: 1 })).toEqual({
      a: [{ odd: ['1', '\\u0000', { password: '[redacted]' }] }],
    });
    expect(paths).toEqual(['', 'a', 'a.0', 'a.0.odd', 'a.0.odd.0', 'a.0.odd.1', 'a.0.odd.2', 'gone']);
    expect(redactor.failures).toBe(0);
  });

  it('hides what the function throws on, and counts', () => {
    const redactor = new Redactor({
      redact(value) {
        if (typeof value === 'string') throw new Error('no');
        return value;
      },
    });
    expect(redactor.redact({ a: 'canary', b: [1, 'canary'] })).toEqual({ a: '[redacted]', b: [1, '[redacted]'] });
    expect(redactor.failures).toBe(2);
  });

  it('[354] hides everything where the function throws on everything', () => {
    const redactor = new Redactor({
      redact() {
        throw new Error('no');
      },
    });
    expect(redactor.redact({ a: 'canary' })).toBe('[redacted]');
    expect(redactor.failures).toBe(1);
  });

  it('cannot change the path of the next value', () => {
    const paths: string[] = [];
    const redactor = new Redactor({
      redact(value, path) {
        paths.push(path.join('.'));
        (path as unknown[]).length = 0;
        return value;
      },
    });
    expect(redactor.redact({ a: { password: 'x', b: 1 } })).toEqual({ a: { password: '[redacted]', b: 1 } });
    expect(paths).toEqual(['', 'a', 'a.b']);
  });

  it('never throws, whatever it is given', () => {
    const redactor = new Redactor({
      valuePatterns: [/x/],
      redact: (value) => {
        if (Math.abs(String(value).length % 3) === 1) throw new Error('no');
        return value;
      },
    });
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true, withSparseArray: true }),
        (value) => {
          expect(JSON.stringify(redactor.redact(value))).not.toContain('x');
        },
      ),
    );
  });
});
