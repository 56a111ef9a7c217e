import fc from 'fast-check';

import { type CheckedArguments, parseArguments } from './argument-text.js';

const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

function problem(checked: CheckedArguments): string {
  return checked.ok ? 'accepted' : checked.problem;
}

function canonical(checked: CheckedArguments): string {
  return checked.ok ? checked.canonical : checked.problem;
}

describe('parseArguments accepts', () => {
  it.each([
    ['empty text as no arguments', '', '{}'],
    ['white space as no arguments', ' \t\r\n', '{}'],
    ['-0 as 0', '{"a":-0,"b":-0.0,"c":[-0e5]}', '{"a":0,"b":0,"c":[0]}'],
    [
      'the largest safe integers',
      '{"a":9007199254740991,"b":-9007199254740991}',
      '{"a":9007199254740991,"b":-9007199254740991}',
    ],
    ['an integer spelled otherwise', '{"a":1e2,"b":1.0}', '{"a":100,"b":1}'],
    ['a number too small to tell from 0', '{"a":1e-400}', '{"a":0}'],
    ['a surrogate pair, raw or escaped', '{"a":"\u{1f600}","b":"\\ud83d\\ude00"}', '{"a":"\u{1f600}","b":"\u{1f600}"}'],
    ['NUL, which a tool may want', '{"a":"\\u0000"}', '{"a":"\\u0000"}'],
    ['the same key in different objects', '{"a":{"k":1},"b":[{"k":1},{"k":2}]}', '{"a":{"k":1},"b":[{"k":1},{"k":2}]}'],
    ['a key that only looks like structure', '{"a\\"b:{":"}]\\\\","c":",:"}', '{"a\\"b:{":"}]\\\\","c":",:"}'],
    ['keys that differ in composition only', '{"\u00e9":1,"e\u0301":2}', '{"e\u0301":2,"\u00e9":1}'],
    ['forbidden words as values', '{"a":"__proto__","b":["constructor"]}', '{"a":"__proto__","b":["constructor"]}'],
    ['64 levels', nested(64), nested(64)],
  ])('%s', (_, text, expected) => {
    expect(canonical(parseArguments(text))).toBe(expected);
  });

  it('strings as they are, never normalised', () => {
    const checked = parseArguments('{"a":"e\\u0301 \u212b \ufb01"}');
    expect(checked).toMatchObject({ ok: true, value: { a: 'e\u0301 \u212b \ufb01' } });
  });

  it('text of exactly 256 KiB', () => {
    const text = `{"a":"${'x'.repeat(256 * 1024 - 8)}"}`;
    expect(canonical(parseArguments(text))).toBe(text);
  });

  it('what JSON.parse accepts, with the same value, and its canonical text again', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' })),
        fc.nat(3),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          fc.pre(!/"(__proto__|constructor|prototype)"/.test(text) && !/\d{16}|e\+/.test(text));
          const checked = parseArguments(text);
          if (!checked.ok) throw new Error(checked.problem);
          expect(checked.value).toEqual(JSON.parse(text));
          expect(parseArguments(checked.canonical)).toEqual(checked);
        },
      ),
    );
  });
});

describe('parseArguments refuses', () => {
  const integer = 'an integer beyond 2^53-1 (9007199254740991), which would be rounded';

  it.each([
    ['a list', '[1]', 'The arguments are not a JSON object. Write an object.'],
    ['null', 'null', 'The arguments are not a JSON object. Write an object.'],
    ['a string', '"{}"', 'The arguments are not a JSON object. Write an object.'],
    ['a key given twice', '{"a":1,"b":{"c":1,"c":2}}', 'The key at /b/c appears twice. Give each key once.'],
    ['a key given twice with the same value', '{"a":1,"a":1}', 'The key at /a appears twice. Give each key once.'],
    ['a key given twice, once escaped', '{"a":1,"\\u0061":2}', 'The key at /a appears twice. Give each key once.'],
    [
      'a key given twice in a list',
      '[{"k":1},[],{"k":[1,2],"k" \n :1}]',
      'The key at /2/k appears twice. Give each key once.',
    ],
    ['an empty key given twice', '{"":1,"":2}', 'The key at / appears twice. Give each key once.'],
    [
      '__proto__',
      '{"a":{"__proto__":{"admin":true}}}',
      'The arguments have a key that is not allowed at /a/__proto__.',
    ],
    ['__proto__, escaped', '{"\\u005f_proto__":1}', 'The arguments have a key that is not allowed at /__proto__.'],
    ['constructor', '{"constructor":1}', 'The arguments have a key that is not allowed at /constructor.'],
    ['prototype', '{"a":[{"prototype":1}]}', 'The arguments have a key that is not allowed at /a/0/prototype.'],
    [
      'an escaped lone surrogate',
      '{"a":"\\ud800"}',
      'The arguments have a string with a lone surrogate at /a. Write whole characters.',
    ],
    [
      'a raw lone surrogate',
      '{"a":"x\udc00"}',
      'The arguments have a string with a lone surrogate at /a. Write whole characters.',
    ],
    [
      'surrogates in the wrong order',
      '{"a":"\\ude00\\ud83d"}',
      'The arguments have a string with a lone surrogate at /a. Write whole characters.',
    ],
    [
      'a lone surrogate in a key',
      '{"\\ud800":1}',
      'The arguments have a key with a lone surrogate at /\ufffd. Write whole characters.',
    ],
    ['1e400', '{"a":[1,1e400]}', 'The arguments have a number that is not finite at /a/1.'],
    [
      '2^53',
      '{"a":9007199254740992}',
      `The arguments have ${integer} at /a. Write it as a string if the tool takes one.`,
    ],
    [
      '2^53+1',
      '{"a":9007199254740993}',
      `The arguments have ${integer} at /a. Write it as a string if the tool takes one.`,
    ],
    [
      '-2^53-1',
      '{"a":-9007199254740993}',
      `The arguments have ${integer} at /a. Write it as a string if the tool takes one.`,
    ],
    [
      '2^53+1 as a fraction',
      '{"a":9007199254740993.0}',
      `The arguments have ${integer} at /a. Write it as a string if the tool takes one.`,
    ],
    ['1e20', '{"a":1e20}', `The arguments have ${integer} at /a. Write it as a string if the tool takes one.`],
    ['65 levels', nested(65), 'The arguments are nested deeper than 64 levels. Nest less.'],
    [
      'a depth that would end a recursive parser',
      '['.repeat(100_000) + ']'.repeat(100_000),
      'The arguments are nested deeper than 64 levels. Nest less.',
    ],
    [
      'text cut off',
      '{"a":"secret',
      'The arguments are not valid JSON: the text ends too early. Write one JSON object.',
    ],
    [
      'text cut off between tokens',
      '{"a":',
      'The arguments are not valid JSON: the text ends too early. Write one JSON object.',
    ],
    ['a byte order mark', '\ufeff{}', 'The arguments are not valid JSON. Write one JSON object.'],
    ['two documents', '{} {}', 'The arguments are not valid JSON: broken at character 4. Write one JSON object.'],
  ])('%s', (_, text, expected) => {
    expect(problem(parseArguments(text))).toBe(expected);
  });

  it.each([
    '{a:1}',
    "{'a':1}",
    '{"a":1,}',
    '{"a":01}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":+1}',
    '{"a":"\t"}',
    '{"a":1/**/}',
    '\u00a0{}',
    '{"a":undefined}',
    '{"a":0x10}',
    '{"a":1_000}',
  ])('broken JSON: %s', (text) => {
    expect(problem(parseArguments(text))).toMatch(/^The arguments are not valid JSON/);
  });

  it('more than 256 KiB, in UTF-8 bytes', () => {
    const large = 'The arguments are larger than 256 KiB. Send less.';
    expect(problem(parseArguments(`{"a":"${'x'.repeat(256 * 1024 - 7)}"}`))).toBe(large);
    expect(problem(parseArguments(`{"a":"${'\u20ac'.repeat(90_000)}"}`))).toBe(large);
    expect(problem(parseArguments(' '.repeat(256 * 1024 + 1)))).toBe(large);
    expect(problem(parseArguments(`{"a":[${Array(50_000).fill('1e15').join()}]}`))).toBe(large);
  });

  it('without repeating a value', () => {
    const secret = 'hunter2';
    for (const text of [
      `{"a":"${secret}"`,
      `{"a":"${secret}",}`,
      `${secret}`,
      `{"a":"${secret}\\ud800"}`,
      `{"a":"${secret}","a":"${secret}"}`,
    ]) {
      expect(problem(parseArguments(text))).not.toContain(secret);
      expect(problem(parseArguments(text))).not.toBe('accepted');
    }
  });

  it('a duplicate wherever it stands', () => {
    const key = fc.string({ unit: 'grapheme', maxLength: 5 });
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.jsonValue({ stringUnit: 'grapheme' }), { minKeys: 1 }),
        fc.nat(),
        (value, at) => {
          const keys = Object.keys(value);
          const twice = JSON.stringify(keys[at % keys.length]);
          const text = `{"outer":[0,{${JSON.stringify(value).slice(1, -1)},${twice}:0}]}`;
          expect(problem(parseArguments(text))).toMatch(/appears twice/);
        },
      ),
    );
  });

  it.each([
    ['quotes only', '"'.repeat(256 * 1024), false],
    ['escaped quotes', `{"a":"${'\\"'.repeat(130_000)}"}`, true],
    ['escaped backslashes', `{"a":"${'\\\\'.repeat(130_000)}"}`, true],
    ['small strings', `{"a":[${'"",'.repeat(80_000)}1]}`, true],
    ['keys', `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join()}}`, true],
    ['white space before a colon', `{"a"${' '.repeat(262_000)}:1}`, true],
    ['white space after a string', `{"a":["x"${' '.repeat(262_000)}]}`, true],
  ])('nothing for its shape, and quickly: 256 KiB of %s', (_, text, valid) => {
    const started = performance.now();
    expect(parseArguments(text).ok).toBe(valid);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
