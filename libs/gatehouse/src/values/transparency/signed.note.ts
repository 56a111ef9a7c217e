import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { shown, strictBase64, strictText } from './strict.text.js';
import { isKeyName } from './verifier.key.js';

const KIND = 'signed note';
const ID_SIZE = 4;
// C2SP asks for 16 at least. Each that names a trusted key costs a verification.
const MAX_SIGNATURES = 100;
const KEY_ID = /^[0-9a-f]{8}$/;
const SIGNATURE_LINE = /^\u2014 ([^ ]+) ([^ ]+)$/u;

/** One signature line of a note, verified or not. */
export interface NoteSignature {
  readonly name: string;
  /** 8 hex digits. */
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** A signed note (C2SP), as it is written. Nothing in it may be believed before `verifyNote`. */
export interface SignedNote {
  /** What is signed: ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Reads a note, without believing it. @throws MalformedEvidenceError at the least deviation from the format */
export function parseNote(note: string | Uint8Array): SignedNote {
  const whole = strictText(note, KIND);
  const split = whole.lastIndexOf('\n\n');
  if (split < 0) throw new MalformedEvidenceError(KIND, 'no empty line stands before the signatures');
  const lines = whole
    .slice(split + 2)
    .split('\n')
    .slice(0, -1);
  if (lines.length === 0) throw new MalformedEvidenceError(KIND, 'it has no signature');
  if (lines.length > MAX_SIGNATURES)
    throw new MalformedEvidenceError(KIND, `it has more than ${MAX_SIGNATURES} signatures`);
  return Object.freeze({ text: whole.slice(0, split + 1), signatures: Object.freeze(lines.map(parseSignature)) });
}

/** The note as text: `parseNote` of it gives the same. @throws MalformedEvidenceError when a part cannot be written */
export function formatNote({ text, signatures }: SignedNote): string {
  const note = `${strictText(text, KIND)}\n${signatures.map(signatureLine).join('')}`;
  parseNote(note);
  return note;
}

function parseSignature(line: string): NoteSignature {
  const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  if (!isKeyName(name)) throw new MalformedEvidenceError(KIND, `${shown(line)} is no signature line`);
  const bytes = strictBase64(encoded, KIND, 'a signature');
  if (bytes.length <= ID_SIZE) throw new MalformedEvidenceError(KIND, `${shown(line)} has no signature`);
  return Object.freeze({
    name,
    keyId: bytes.subarray(0, ID_SIZE).toString('hex'),
    signature: bytes.subarray(ID_SIZE),
  });
}

function signatureLine({ name, keyId, signature }: NoteSignature): string {
  if (!isKeyName(name) || !KEY_ID.test(keyId))
    throw new MalformedEvidenceError(KIND, `${shown(`${name}+${keyId}`)} is no key`);
  return `\u2014 ${name} ${Buffer.concat([Buffer.from(keyId, 'hex'), signature]).toString('base64')}\n`;
}
