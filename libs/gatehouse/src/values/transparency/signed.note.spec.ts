import fc from 'fast-check';

import type { SignedNote } from './signed.note.js';
import { formatNote, parseNote } from './signed.note.js';

const signature = Buffer.alloc(64, 1);
const LINE = `— log.example ${Buffer.concat([Buffer.alloc(4, 0xab), signature]).toString('base64')}\n`;

const controlled = /[\u0000-\u0009\u000b-\u001f]/g;
const text = fc.string({ unit: 'grapheme', maxLength: 80 }).map((line) => `${line.replace(controlled, '\n')}\n`);
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((raw) => `n${raw.replace(/[\p{White_Space}+\u0000-\u001f]/gu, '-')}`);
const note: fc.Arbitrary<SignedNote> = fc.record({
  text,
  signatures: fc.array(
    fc.record({
      name,
      keyId: fc.uint8Array({ minLength: 4, maxLength: 4 }).map((id) => Buffer.from(id).toString('hex')),
      signature: fc.uint8Array({ minLength: 1, maxLength: 70 }).map((bytes) => Buffer.from(bytes)),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

describe('a signed note', () => {
  it('is the same after it was written and read, as text and as bytes', () => {
    fc.assert(
      fc.property(note, (written) => {
        const whole = formatNote(written);
        expect(parseNote(whole)).toEqual(written);
        expect(parseNote(Buffer.from(whole, 'utf8'))).toEqual(written);
        expect(formatNote(parseNote(whole))).toBe(whole);
      }),
    );
  });

  it('is either refused or written back the same when one of its bytes is changed: there is one way to write it', () => {
    fc.assert(
      fc.property(note, fc.nat(), fc.integer({ min: 1, max: 255 }), (written, at, change) => {
        const bytes = Buffer.from(formatNote(written), 'utf8');
        bytes.writeUInt8(bytes.readUInt8(at % bytes.length) ^ change, at % bytes.length);
        let read: SignedNote;
        try {
          read = parseNote(bytes);
        } catch (error) {
          expect(String(error)).toMatch(/^MalformedEvidenceError: This is no valid signed note: /);
          return;
        }
        expect(Buffer.from(formatNote(read), 'utf8').equals(bytes)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is frozen when read', () => {
    const read = parseNote(`text\n\n${LINE}`);
    expect([read, read.signatures, ...read.signatures].every(Object.isFrozen)).toBe(true);
  });

  it.each([
    ['it does not end with a newline', ''],
    ['no empty line stands before the signatures', `text\n${LINE}`],
    ['it has no signature', 'text\n\n'],
    ['it does not end with a newline', `text\n\n${LINE.slice(0, -1)}`],
    ['it has a control character other than newline', `te\txt\n\n${LINE}`],
    ['it has a control character other than newline', `text\r\n\n${LINE}`],
    ['it is not UTF-8', `\ud800text\n\n${LINE}`],
    ["'- log.example q6urqwE=' is no signature line", 'text\n\n- log.example q6urqwE=\n'],
    ["'—  log.example q6urqwE=' is no signature line", 'text\n\n—  log.example q6urqwE=\n'],
    ["'— log.example  q6urqwE=' is no signature line", 'text\n\n— log.example  q6urqwE=\n'],
    ["'— log.example q6urqwE= ' is no signature line", 'text\n\n— log.example q6urqwE= \n'],
    ["'— log+example q6urqwE=' is no signature line", 'text\n\n— log+example q6urqwE=\n'],
    ["'— log\u2003example q6urqwE=' is no signature line", 'text\n\n— log\u2003example q6urqwE=\n'],
    ["'— log.example' is no signature line", 'text\n\n— log.example\n'],
    ["a signature is no canonical base64: 'q6urqwE'", 'text\n\n— log.example q6urqwE\n'],
    ["a signature is no canonical base64: 'q6urqwF='", 'text\n\n— log.example q6urqwF=\n'],
    ["a signature is no canonical base64: 'q6urq_8='", 'text\n\n— log.example q6urq_8=\n'],
    ["'— log.example q6urqw==' has no signature", 'text\n\n— log.example q6urqw==\n'],
    ['it is longer than 1000000', `${'x'.repeat(1_000_000)}\n\n${LINE}`],
  ])('is refused: %s', (problem, whole) => {
    expect(() => parseNote(whole)).toThrow(
      `This is no valid signed note: ${problem}. Use it exactly as it was issued.`,
    );
  });

  it('is not written with a name or id that would read as something else', () => {
    const smuggled = 'a q6urqwE=\n— b';
    const written = (change: object) => () =>
      formatNote({ text: 'text\n', signatures: [{ name: 'log.example', keyId: 'abababab', signature, ...change }] });
    expect(written({ name: smuggled })).toThrow('is no key');
    expect(written({ name: '' })).toThrow('is no key');
    expect(written({ keyId: 'zz' })).toThrow('is no key');
    expect(written({ signature: Buffer.of() })).toThrow('has no signature');
    expect(() => formatNote({ text: 'no newline', signatures: [] })).toThrow('does not end with a newline');
    expect(() => formatNote({ text: 'text\n', signatures: [] })).toThrow('it has no signature');
  });

  it('shows nothing in its errors that could deceive a terminal', () => {
    expect(() => parseNote('text\n\n\u202e\u2028evil\n')).toThrow("'\\u{202e}\\u{2028}evil' is no signature line");
  });
});
