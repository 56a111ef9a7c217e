import fc from 'fast-check';

import { shown, strictBase64, strictDecimal, strictText } from './strict.text.js';

describe('strictText', () => {
  it('takes every character but control characters, as text or as UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (raw) => {
        const text = `${raw}\n`;
        const expected = [...raw].some((one) => one !== '\n' && one < ' ') ? 'refused' : text;
        const outcome = (input: string | Uint8Array) => {
          try {
            return strictText(input, 'signed note');
          } catch {
            return 'refused';
          }
        };
        expect(outcome(text)).toBe(expected);
        expect(outcome(Buffer.from(text, 'utf8'))).toBe(expected);
      }),
    );
  });

  it('refuses half a character', () => {
    for (const text of ['\ud800\n', 'a\udc00b\n'])
      expect(() => strictText(text, 'signed note')).toThrow('it is not UTF-8');
  });

  it('keeps a byte order mark, and refuses bytes that are no UTF-8', () => {
    expect(strictText(Buffer.from('\ufeffa\n', 'utf8'), 'signed note')).toBe('\ufeffa\n');
    for (const bytes of ['ff0a', 'c0800a', 'eda0800a', 'e2820a'])
      expect(() => strictText(Buffer.from(bytes, 'hex'), 'tlog-proof')).toThrow(
        'This is no valid tlog-proof: it is not UTF-8.',
      );
  });
});

describe('strictBase64', () => {
  it('takes only what an encoder writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        expect(strictBase64(Buffer.from(bytes).toString('base64'), 'checkpoint', 'x')).toEqual(Buffer.from(bytes));
      }),
    );
    for (const text of ['A', 'AA', 'AB==', 'AA==\n', ' AA==', 'AA=', 'AA===', '_-8=', 'A\nA=='])
      expect(() => strictBase64(text, 'checkpoint', 'x')).toThrow('x is no canonical base64');
  });
});

describe('strictDecimal', () => {
  it('takes only plain digits below 2^53', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger().map(Math.abs), (value) => {
        expect(strictDecimal(String(value), 'checkpoint', 'x')).toBe(value);
      }),
    );
    for (const text of ['', '00', '01', '-1', '+1', '1.0', '1e1', ' 1', '1\n', '9007199254740992', '\u0661'])
      expect(() => strictDecimal(text, 'checkpoint', 'x')).toThrow('x is no decimal below 2^53');
  });
});

describe('shown', () => {
  it('is short and on one line, whatever a stranger wrote', () => {
    expect(shown('a\nb\u202ec')).toBe("'a\\u{a}b\\u{202e}c'");
    expect(shown('x'.repeat(1_000)).length).toBeLessThanOrEqual(202);
  });
});
