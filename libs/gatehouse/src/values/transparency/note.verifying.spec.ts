import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import { generateEd25519Key } from './ed25519.keys.js';
import { signNote } from './note.signing.js';
import { verifyNote } from './note.verifying.js';
import { formatNote, parseNote } from './signed.note.js';
import { parseVerifierKey, verifierKey } from './verifier.key.js';

const log = generateEd25519Key('log.example');
const stranger = generateEd25519Key('stranger.example');
const logKey = parseVerifierKey(log.verifierKey);

const reasonOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return error instanceof UntrustedEvidenceError ? error.reason : String(error);
  }
  return 'believed';
};

describe('verifyNote', () => {
  it('ignores signatures of keys it does not know, also under a known name or a known id', async () => {
    const note = await signNote('text\n', [log.signer, stranger.signer]);
    const { text, signatures } = parseNote(note);
    const [first, second] = signatures;
    if (!first || !second) throw new Error('two signatures were made');
    const sameName = { ...second, name: 'log.example' };
    const sameId = { ...second, keyId: logKey.id };
    const read = verifyNote(formatNote({ text, signatures: [sameName, sameId, first, second] }), [logKey]);
    expect(read.signedBy).toEqual([logKey]);
    expect(read.unknown).toEqual([sameName, sameId, second]);
  });

  it('rejects the whole note for one false signature of a known key, whatever else holds', async () => {
    const both = [logKey, parseVerifierKey(stranger.verifierKey)];
    const { text, signatures } = parseNote(await signNote('text\n', [log.signer, stranger.signer]));
    const forged = signatures.map((one) =>
      one.name === 'stranger.example' ? { ...one, signature: Buffer.alloc(64) } : one,
    );
    expect(reasonOf(() => verifyNote(formatNote({ text, signatures: forged }), both))).toBe('bad signature');
    const [first] = signatures;
    if (!first) throw new Error('two signatures were made');
    const repeated = [first, { ...first, signature: Buffer.alloc(64) }];
    expect(reasonOf(() => verifyNote(formatNote({ text, signatures: repeated }), both))).toBe('bad signature');
  });

  it('rejects a note that no known key signed, and names who did and who is known', async () => {
    const note = await signNote('text\n', [stranger.signer]);
    const strangerKey = parseVerifierKey(stranger.verifierKey);
    expect(reasonOf(() => verifyNote(note, [logKey]))).toBe('unknown key');
    expect(() => verifyNote(note, [logKey])).toThrow(
      `No trusted key signed this note. Signed by: 'stranger.example+${strangerKey.id}'. Trusted: 'log.example+${logKey.id}'. ` +
        'Pass the verifier key of the log.',
    );
    expect(() => verifyNote(note, [])).toThrow('Trusted: none.');
  });

  it('counts a key once, however often it signed or was named', async () => {
    const note = await signNote('text\n', [log.signer, log.signer]);
    expect(verifyNote(note, [logKey, parseVerifierKey(log.verifierKey)]).signedBy).toEqual([logKey]);
  });

  it('does not take the id for a proof: another key under it verifies nothing', async () => {
    const note = await signNote('text\n', [log.signer]);
    const collided = { ...verifierKey('log.example', stranger.signer.publicKey), id: logKey.id };
    expect(reasonOf(() => verifyNote(note, [collided]))).toBe('bad signature');
  });

  it('verifies the bytes, not what they look like', async () => {
    const note = await signNote('caf\u00e9\n', [log.signer]);
    expect(reasonOf(() => verifyNote(note, [logKey]))).toBe('believed');
    expect(reasonOf(() => verifyNote(note.normalize('NFD'), [logKey]))).toBe('bad signature');
  });
});
