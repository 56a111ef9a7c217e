import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import type { Signer } from '../../contracts/ports/signer.js';
import type { NoteSignature } from './signed.note.js';
import { formatNote } from './signed.note.js';
import { strictText } from './strict.text.js';
import { verifierKey } from './verifier.key.js';

/**
 * The text as a note signed by each of the signers, at least one, in order.
 *
 * @param text ends with a newline
 * @throws MalformedEvidenceError when it cannot be the text of a note
 * @throws UntrustedEvidenceError when a signer's signature does not hold for its own public key; whatever a signer throws is passed on
 */
export async function signNote(text: string, signers: readonly Signer[]): Promise<string> {
  const message = Buffer.from(strictText(text, 'signed note'), 'utf8');
  const signatures = await Promise.all(signers.map((signer) => signed(message, signer)));
  return formatNote({ text, signatures });
}

// A key service that signs with another key than it says would publish what nobody can verify: better known here than at the next audit.
async function signed(message: Uint8Array, signer: Signer): Promise<NoteSignature> {
  const key = verifierKey(signer.name, signer.publicKey);
  const signature = await signer.sign(message);
  if (key.verifies(message, signature)) return { name: key.name, keyId: key.id, signature };
  throw new UntrustedEvidenceError(
    'bad signature',
    `The signer '${key.name}' gave a signature that its own public key does not verify. ` +
      'It must return the 64 bytes of Ed25519 over the very bytes it was given.',
  );
}
