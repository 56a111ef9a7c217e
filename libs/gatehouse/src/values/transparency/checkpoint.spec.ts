import fc from 'fast-check';

import type { Checkpoint } from './checkpoint.js';
import { formatCheckpoint, parseCheckpoint, signCheckpoint, verifyCheckpoint } from './checkpoint.js';
import { generateEd25519Key } from './ed25519.keys.js';
import { emptyRoot, leafHash } from './merkle.tree.js';
import { signNote } from './note.signing.js';
import { parseVerifierKey } from './verifier.key.js';

const root = leafHash(Buffer.from('a leaf'));
const ROOT = root.toString('base64');
const EMPTY = emptyRoot().toString('base64');

const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .map((raw) => raw.replace(/[\u0000-\u001f]/g, '-'));
const checkpoint: fc.Arbitrary<Checkpoint> = fc.record(
  {
    origin: line,
    size: fc.oneof(
      fc.integer({ min: 1, max: 1_000 }),
      fc.maxSafeInteger().filter((size) => size > 0),
    ),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
    extensions: fc.array(line, { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: ['origin', 'size', 'root'] },
);

describe('a checkpoint', () => {
  it('is three lines: origin, size, root', () => {
    expect(formatCheckpoint({ origin: 'audit.example/log', size: 42, root })).toBe(`audit.example/log\n42\n${ROOT}\n`);
    expect(formatCheckpoint({ origin: 'o', size: 0, root: emptyRoot() })).toBe(`o\n0\n${EMPTY}\n`);
  });

  it('is the same after it was written and read', () => {
    fc.assert(
      fc.property(checkpoint, (written) => {
        expect(parseCheckpoint(formatCheckpoint(written))).toEqual(written);
      }),
    );
  });

  it.each([
    ['it has fewer than three lines', 'o\n1\n'],
    ['it does not end with a newline', `o\n1\n${ROOT}`],
    ['it has an empty line', `\n1\n${ROOT}\n`],
    ['it has an empty line', `o\n1\n${ROOT}\n\n`],
    ['it has an empty line', `o\n1\n${ROOT}\n\nextension\n`],
    ["the size is no decimal below 2^53: ''", `o\n\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '01'", `o\n01\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '00'", `o\n00\n${EMPTY}\n`],
    ["the size is no decimal below 2^53: '-1'", `o\n-1\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '+1'", `o\n+1\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '1.0'", `o\n1.0\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '1e3'", `o\n1e3\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '0x1'", `o\n0x1\n${ROOT}\n`],
    ["the size is no decimal below 2^53: ' 1'", `o\n 1\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '1\u0661'", `o\n1\u0661\n${ROOT}\n`],
    ["the size is no decimal below 2^53: '9007199254740992'", `o\n9007199254740992\n${ROOT}\n`],
    ['the root is no hash of 32 bytes', `o\n1\n${root.subarray(1).toString('base64')}\n`],
    [`the root is no canonical base64: '${ROOT.slice(0, -1)}'`, `o\n1\n${ROOT.slice(0, -1)}\n`],
    [`the root is no canonical base64: '${ROOT} '`, `o\n1\n${ROOT} \n`],
    ['the root is not that of an empty tree', `o\n0\n${ROOT}\n`],
  ])('is refused: %s', (problem, text) => {
    expect(() => parseCheckpoint(text)).toThrow(`This is no valid checkpoint: ${problem}. `);
  });

  it.each([
    ['1.5 is no tree size', { size: 1.5 }],
    ['-1 is no tree size', { size: -1 }],
    ['a part has a newline', { origin: 'o\n1' }],
    ['a part has a newline', { extensions: ['a\nb'] }],
    ['it has an empty line', { origin: '' }],
    ['it has an empty line', { extensions: [''] }],
    ['it has a control character', { origin: 'o\r' }],
    ['the root is no hash', { root: Buffer.alloc(31) }],
    ['the root is not that of an empty tree', { size: 0 }],
  ])('is not written: %s', (problem, change) => {
    expect(() => formatCheckpoint({ origin: 'o', size: 1, root, ...change })).toThrow(problem);
  });
});

describe('a signed checkpoint', () => {
  const { signer, verifierKey } = generateEd25519Key('audit.example/log');
  const key = parseVerifierKey(verifierKey);
  const head = { origin: 'audit.example/log', size: 42, root };

  it('is believed by who has the key and expects this log', async () => {
    const note = await signCheckpoint(head, [signer]);
    expect(verifyCheckpoint(note, { origin: head.origin, keys: [key] })).toEqual({ ...head, signedBy: [key] });
    expect(verifyCheckpoint(Buffer.from(note), { origin: head.origin, keys: [key] }).size).toBe(42);
  });

  it('of another log is not believed, though the key is the same', async () => {
    const note = await signCheckpoint({ ...head, origin: 'audit.example/test' }, [signer]);
    expect(() => verifyCheckpoint(note, { origin: head.origin, keys: [key] })).toThrow(
      "The checkpoint is of the log 'audit.example/test', not of 'audit.example/log'.",
    );
  });

  it('is not believed with any bit flipped', async () => {
    const note = Buffer.from(await signCheckpoint(head, [signer]), 'utf8');
    fc.assert(
      fc.property(fc.nat(note.length * 8 - 1), (bit) => {
        const flipped = Buffer.from(note);
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(() => verifyCheckpoint(flipped, { origin: head.origin, keys: [key] })).toThrow(
          /EvidenceError|no valid|false|No trusted/,
        );
      }),
      { numRuns: 400 },
    );
  });

  it('is refused when what was signed is a note, but no checkpoint', async () => {
    const note = await signNote('hello\n', [signer]);
    expect(() => verifyCheckpoint(note, { origin: 'hello', keys: [key] })).toThrow('it has fewer than three lines');
  });
});
