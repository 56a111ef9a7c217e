import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import type { Signer } from '../../contracts/ports/signer.js';
import { emptyRoot } from './merkle.tree.js';
import { signNote } from './note.signing.js';
import { verifyNote } from './note.verifying.js';
import { isHash } from './sha256.js';
import { shown, strictBase64, strictDecimal, strictText } from './strict.text.js';
import { isSize } from './tree.shape.js';
import type { VerifierKey } from './verifier.key.js';

const KIND = 'checkpoint';

/** The head of a log at one size: the text of a tlog-checkpoint (C2SP). */
export interface Checkpoint {
  /** Which log this is; should equal the name of its key. */
  readonly origin: string;
  /** Leaves of the tree. */
  readonly size: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** Opaque lines after the root. C2SP advises against them. */
  readonly extensions?: readonly string[];
}

/** A log, as its reader knows it. */
export interface TrustedLog {
  readonly origin: string;
  readonly keys: readonly VerifierKey[];
}

/** A checkpoint that a trusted key of its log has signed. */
export interface VerifiedCheckpoint extends Checkpoint {
  readonly signedBy: readonly VerifierKey[];
}

/** The text that is signed. @throws MalformedEvidenceError when a part cannot be written */
export function formatCheckpoint({ origin, size, root, extensions = [] }: Checkpoint): string {
  if (!isSize(size)) throw new MalformedEvidenceError(KIND, `${size} is no tree size`);
  const lines = [origin, String(size), Buffer.from(root).toString('base64'), ...extensions];
  if (lines.some((line) => line.includes('\n'))) throw new MalformedEvidenceError(KIND, 'a part has a newline');
  const text = lines.map((line) => `${line}\n`).join('');
  parseCheckpoint(text);
  return text;
}

/** Reads the text of a checkpoint: what a verified note holds, without its signatures. @throws MalformedEvidenceError */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size, root, ...extensions] = strictText(text, KIND).slice(0, -1).split('\n');
  if (size === undefined || root === undefined) throw new MalformedEvidenceError(KIND, 'it has fewer than three lines');
  if ([origin, ...extensions].includes('')) throw new MalformedEvidenceError(KIND, 'it has an empty line');
  const checkpoint = {
    origin,
    size: strictDecimal(size, KIND, 'the size'),
    root: strictBase64(root, KIND, 'the root'),
    ...(extensions.length > 0 && { extensions: Object.freeze(extensions) }),
  };
  if (!isHash(checkpoint.root)) throw new MalformedEvidenceError(KIND, 'the root is no hash of 32 bytes');
  if (checkpoint.size === 0 && !emptyRoot().equals(checkpoint.root))
    throw new MalformedEvidenceError(KIND, 'the root is not that of an empty tree');
  return Object.freeze(checkpoint);
}

/**
 * The checkpoint as a signed note, ready to be published. Who signs must see to it that every later one extends it.
 *
 * @throws as `formatCheckpoint` and `signNote`
 */
export async function signCheckpoint(checkpoint: Checkpoint, signers: readonly Signer[]): Promise<string> {
  return signNote(formatCheckpoint(checkpoint), signers);
}

/**
 * Reads a signed checkpoint and believes it when a trusted key of this log has signed it and it is this log's.
 *
 * @throws MalformedEvidenceError when it is no checkpoint
 * @throws UntrustedEvidenceError `unknown key`, `bad signature` or `other log`
 */
export function verifyCheckpoint(note: string | Uint8Array, log: TrustedLog): VerifiedCheckpoint {
  const { text, signedBy } = verifyNote(note, log.keys);
  const checkpoint = parseCheckpoint(text);
  if (checkpoint.origin === log.origin) return Object.freeze({ ...checkpoint, signedBy });
  throw new UntrustedEvidenceError(
    'other log',
    `The checkpoint is of the log ${shown(checkpoint.origin)}, not of ${shown(log.origin)}. Ask for that of the log you trust.`,
  );
}
