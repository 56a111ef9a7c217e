import { generateEd25519Key } from './ed25519.keys.js';
import { signNote } from './note.signing.js';
import { verifyNote } from './note.verifying.js';
import { parseVerifierKey } from './verifier.key.js';

const log = generateEd25519Key('log.example');
const witness = generateEd25519Key('witness.example');
const [logKey, witnessKey] = [parseVerifierKey(log.verifierKey), parseVerifierKey(witness.verifierKey)];

describe('signNote', () => {
  it('signs for every signer, in order', async () => {
    const note = await signNote('text\n', [witness.signer, log.signer]);
    expect(verifyNote(note, [logKey, witnessKey])).toEqual({
      text: 'text\n',
      signedBy: [witnessKey, logKey],
      unknown: [],
    });
  });

  it('takes a signer that lives elsewhere and answers later', async () => {
    const remote = { ...mirrored(), sign: async (message: Uint8Array) => log.signer.sign(message) };
    const note = await signNote('text\n', [remote]);
    expect(note).toBe(await signNote('text\n', [log.signer]));
  });

  it('publishes no signature that its own key does not verify', async () => {
    const mixedUp = {
      name: 'log.example',
      publicKey: witness.signer.publicKey,
      sign: (m: Uint8Array) => log.signer.sign(m),
    };
    await expect(signNote('text\n', [mixedUp])).rejects.toThrow(
      "The signer 'log.example' gave a signature that its own public key does not verify.",
    );
  });

  it('passes on what a signer throws', async () => {
    const broken = { ...mirrored(), sign: () => Promise.reject(new Error('the key service is away')) };
    await expect(signNote('text\n', [log.signer, broken])).rejects.toThrow('the key service is away');
  });

  it('refuses text that is no note, a name that is none, and nobody to sign', async () => {
    await expect(signNote('no newline', [log.signer])).rejects.toThrow('does not end with a newline');
    await expect(signNote('text\n', [{ ...mirrored(), name: 'a b' }])).rejects.toThrow("'a b' is no key name");
    await expect(signNote('text\n', [])).rejects.toThrow('it has no signature');
  });
});

const mirrored = () => ({
  name: 'log.example',
  publicKey: log.signer.publicKey,
  sign: (message: Uint8Array) => log.signer.sign(message),
});
