import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import type { NoteSignature } from './signed.note.js';
import { parseNote } from './signed.note.js';
import { shown } from './strict.text.js';
import type { VerifierKey } from './verifier.key.js';

/** A note at least one trusted key has signed. */
export interface VerifiedNote {
  readonly text: string;
  /** The trusted keys whose signatures hold, in the order of the note. */
  readonly signedBy: readonly VerifierKey[];
  /** Signatures of keys nobody named: they say nothing. */
  readonly unknown: readonly NoteSignature[];
}

/**
 * Reads a note and believes it when a trusted key has signed it and no trusted key's signature in it is false. Signatures of other keys are ignored.
 *
 * @throws MalformedEvidenceError when it is no note
 * @throws UntrustedEvidenceError `bad signature` or `unknown key`
 */
export function verifyNote(note: string | Uint8Array, trusted: readonly VerifierKey[]): VerifiedNote {
  const { text, signatures } = parseNote(note);
  const message = Buffer.from(text, 'utf8');
  const signedBy = new Set<VerifierKey>();
  const unknown: NoteSignature[] = [];
  for (const signature of signatures) {
    const known = trusted.filter(({ name, id }) => name === signature.name && id === signature.keyId);
    if (known.length > 0) signedBy.add(verifying(known, message, signature));
    else unknown.push(signature);
  }
  if (signedBy.size === 0) throw unknownKeys(signatures, trusted);
  return Object.freeze({ text, signedBy: Object.freeze([...signedBy]), unknown: Object.freeze(unknown) });
}

function verifying(known: readonly VerifierKey[], message: Uint8Array, { name, keyId, signature }: NoteSignature) {
  const key = known.find((candidate) => candidate.verifies(message, signature));
  if (key) return key;
  throw new UntrustedEvidenceError(
    'bad signature',
    `The signature of the trusted key ${name}+${keyId} is false: the note was changed after it was signed, or signed by somebody else.`,
  );
}

function unknownKeys(signatures: readonly NoteSignature[], trusted: readonly VerifierKey[]): UntrustedEvidenceError {
  const signers = shown(signatures.map(({ name, keyId }) => `${name}+${keyId}`).join(', '));
  const keys = trusted.length > 0 ? shown(trusted.map(({ name, id }) => `${name}+${id}`).join(', ')) : 'none';
  return new UntrustedEvidenceError(
    'unknown key',
    `No trusted key signed this note. Signed by: ${signers}. Trusted: ${keys}. Pass the verifier key of the log.`,
  );
}
