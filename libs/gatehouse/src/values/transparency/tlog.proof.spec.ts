import fc from 'fast-check';

import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import { signCheckpoint } from './checkpoint.js';
import { generateEd25519Key } from './ed25519.keys.js';
import { inclusionProofOf } from './inclusion.proof.js';
import { leafHash, rootOf } from './merkle.tree.js';
import type { TlogProof } from './tlog.proof.js';
import { formatTlogProof, parseTlogProof, TLOG_PROOF_EXTENSION, verifyTlogProof } from './tlog.proof.js';
import { parseVerifierKey } from './verifier.key.js';

const ORIGIN = 'audit.example/log';
const { signer, verifierKey } = generateEd25519Key(ORIGIN);
const log = { origin: ORIGIN, keys: [parseVerifierKey(verifierKey)] };
const leaves = Array.from({ length: 11 }, (_, at) => leafHash(Buffer.from(`record ${at}`)));
const leaf = leafHash(Buffer.from('record 5'));
const checkpoint = await signCheckpoint({ origin: ORIGIN, size: 11, root: rootOf(leaves) }, [signer]);
const proof: TlogProof = { index: 5, hashes: inclusionProofOf(leaves, 5).hashes, checkpoint };
const file = formatTlogProof(proof);
const HASH = leaf.toString('base64');

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const anyProof = fc.record(
  {
    index: fc.maxSafeInteger().map(Math.abs),
    hashes: fc.array(hash, { maxLength: 63 }),
    checkpoint: fc.constant(checkpoint),
    extra: fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  },
  { requiredKeys: ['index', 'hashes', 'checkpoint'] },
);

const outcomeOf = (text: string | Uint8Array, record = leaf): string => {
  try {
    return `leaf ${verifyTlogProof(text, record, log).index}`;
  } catch (error) {
    return error instanceof UntrustedEvidenceError ? error.reason : String(error).replace(/:.*/su, '');
  }
};

describe('a tlog-proof', () => {
  it('is written as C2SP says', () => {
    const extra = Buffer.from('more');
    const hashes = proof.hashes.map((one) => `${Buffer.from(one).toString('base64')}\n`).join('');
    expect(file).toBe(`c2sp.org/tlog-proof@v1\nindex 5\n${hashes}\n${checkpoint}`);
    expect(formatTlogProof({ ...proof, extra })).toBe(
      `c2sp.org/tlog-proof@v1\nextra bW9yZQ==\nindex 5\n${hashes}\n${checkpoint}`,
    );
    expect(formatTlogProof({ ...proof, extra: Buffer.of() })).toBe(file);
    expect(formatTlogProof({ index: 0, hashes: [], checkpoint })).toBe(
      `c2sp.org/tlog-proof@v1\nindex 0\n\n${checkpoint}`,
    );
    expect(TLOG_PROOF_EXTENSION).toBe('.tlog-proof');
  });

  it('is the same after it was written and read', () => {
    fc.assert(
      fc.property(anyProof, (written) => {
        expect(parseTlogProof(formatTlogProof(written))).toEqual(written);
        expect(parseTlogProof(Buffer.from(formatTlogProof(written)))).toEqual(written);
      }),
    );
  });

  it('is believed for its record, by who has the key', () => {
    const extra = Buffer.from('more');
    const read = verifyTlogProof(formatTlogProof({ ...proof, extra }), leaf, log);
    expect(read).toEqual({
      index: 5,
      extra,
      checkpoint: { origin: ORIGIN, size: 11, root: rootOf(leaves), signedBy: log.keys },
    });
  });

  it('is believed for every record, and for none other', () => {
    leaves.forEach((record, index) => {
      const text = formatTlogProof({ index, hashes: inclusionProofOf(leaves, index).hashes, checkpoint });
      expect(leaves.map((other) => outcomeOf(text, other))).toEqual(
        leaves.map((other) => (other === record ? `leaf ${index}` : 'other root')),
      );
    });
  });

  it('says why it is not believed', async () => {
    const stranger = generateEd25519Key(ORIGIN);
    const root = rootOf(leaves);
    const by = async (origin: string, key: typeof signer) =>
      outcomeOf(formatTlogProof({ ...proof, checkpoint: await signCheckpoint({ origin, size: 11, root }, [key]) }));
    expect(await by(ORIGIN, signer)).toBe('leaf 5');
    expect(await by(ORIGIN, stranger.signer)).toBe('unknown key');
    expect(await by('audit.example/test', signer)).toBe('other log');
    expect(outcomeOf(file.replace('\n11\n', '\n12\n'))).toBe('bad signature');
    expect(outcomeOf(formatTlogProof({ ...proof, index: 11 }))).toBe('other root');
  });

  it('is not believed with any bit flipped', () => {
    const bytes = Buffer.from(file, 'utf8');
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const flipped = Buffer.from(bytes);
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(['other root', 'unknown key', 'bad signature', 'other log', 'MalformedEvidenceError']).toContain(
          outcomeOf(flipped),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['its first line is not c2sp.org/tlog-proof@v1', file.replace('@v1', '@v2')],
    ['its first line is not c2sp.org/tlog-proof@v1', `\n${file}`],
    ['it has no index line', file.replace('index 5\n', '')],
    ['it has no index line', file.replace('index 5', 'Index 5')],
    ['it has no index line', file.replace('index 5', 'extra\nindex 5')],
    ['it has no index line', file.replace('index 5', 'extra AAAA\nextra AAAA\nindex 5')],
    ["a hash is no canonical base64: 'extra AAAA'", file.replace('index 5', 'index 5\nextra AAAA')],
    ["the index is no decimal below 2^53: '05'", file.replace('index 5', 'index 05')],
    ["the index is no decimal below 2^53: '-5'", file.replace('index 5', 'index -5')],
    ["the index is no decimal below 2^53: ' 5'", file.replace('index 5', 'index  5')],
    ["the index is no decimal below 2^53: ''", file.replace('index 5', 'index ')],
    ['its extra line is empty instead of absent', file.replace('index 5', 'extra \nindex 5')],
    ["the extra data is no canonical base64: 'YR=='", file.replace('index 5', 'extra YR==\nindex 5')],
    ["the extra data is no canonical base64: '!!'", file.replace('index 5', 'extra !!\nindex 5')],
    ['a hash has 3 bytes instead of 32', file.replace('index 5', 'index 5\nAAAA')],
    ['a hash is no canonical base64', file.replace('index 5', `index 5\n${HASH.slice(0, -1)}`)],
    ['it has more than 63 hashes', file.replace('index 5', `index 5\n${`${HASH}\n`.repeat(64).trimEnd()}`)],
    ['it has a control character', file.replaceAll('\n', '\r\n')],
    ['it does not end with a newline', file.trimEnd()],
    ['no empty line stands before the checkpoint', file.slice(0, file.indexOf('\n\n') + 1)],
  ])('is refused: %s', (problem, text) => {
    expect(() => parseTlogProof(text)).toThrow(problem);
  });

  it('is refused with a checkpoint that is none', () => {
    const withoutCheckpoint = file.slice(0, file.indexOf('\n\n') + 2);
    expect(() => parseTlogProof(`${withoutCheckpoint}hello\n`)).toThrow('This is no valid signed note');
    expect(() => parseTlogProof(`${withoutCheckpoint}\n${checkpoint}`)).toThrow(
      'This is no valid checkpoint: it has an empty line',
    );
  });

  it('is not written with what could not be read again', () => {
    expect(() => formatTlogProof({ ...proof, index: -1 })).toThrow('-1 is no index');
    expect(() => formatTlogProof({ ...proof, hashes: [Buffer.of()] })).toThrow('a hash has not 32 bytes');
    expect(() => formatTlogProof({ ...proof, checkpoint: 'no note' })).toThrow('it does not end with a newline');
  });
});
