import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import type { TrustedLog, VerifiedCheckpoint } from './checkpoint.js';
import { parseCheckpoint, verifyCheckpoint } from './checkpoint.js';
import { verifyInclusion } from './inclusion.proof.js';
import { isHash } from './sha256.js';
import { parseNote } from './signed.note.js';
import { strictBase64, strictDecimal, strictText } from './strict.text.js';
import { isSize } from './tree.shape.js';

const KIND = 'tlog-proof';
const HEADER = 'c2sp.org/tlog-proof@v1';
// The deepest tree of C2SP has 2^63 leaves.
const MAX_HASHES = 63;

/** The name such a file ends with. */
export const TLOG_PROOF_EXTENSION = '.tlog-proof';

/** A proof for one leaf that is verified without the log (C2SP tlog-proof), as it is written. */
export interface TlogProof {
  /** Of the leaf in the log, zero-based. */
  readonly index: number;
  /** The inclusion proof, from the leaf's sibling up. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note, verbatim. */
  readonly checkpoint: string;
  /** For the application; signed by nobody. Absent rather than empty. */
  readonly extra?: Uint8Array;
}

/** What a proof that holds says. */
export interface VerifiedTlogProof {
  readonly index: number;
  readonly checkpoint: VerifiedCheckpoint;
  /** Signed by nobody: check it before use. */
  readonly extra?: Uint8Array;
}

/** The proof as the text of a file. An empty `extra` is left out. @throws MalformedEvidenceError when a part cannot be written */
export function formatTlogProof({ index, hashes, checkpoint, extra }: TlogProof): string {
  if (!isSize(index)) throw new MalformedEvidenceError(KIND, `${index} is no index`);
  if (!hashes.every(isHash)) throw new MalformedEvidenceError(KIND, 'a hash has not 32 bytes');
  const lines = [
    HEADER,
    ...(extra?.length ? [`extra ${Buffer.from(extra).toString('base64')}`] : []),
    `index ${index}`,
    ...hashes.map((hash) => Buffer.from(hash).toString('base64')),
  ];
  const text = `${lines.join('\n')}\n\n${checkpoint}`;
  parseTlogProof(text);
  return text;
}

/** Reads a proof, without believing it. @throws MalformedEvidenceError at the least deviation from the format */
export function parseTlogProof(proof: string | Uint8Array): TlogProof {
  const text = strictText(proof, KIND);
  const split = text.indexOf('\n\n');
  if (split < 0) throw new MalformedEvidenceError(KIND, 'no empty line stands before the checkpoint');
  const [header, ...lines] = text.slice(0, split).split('\n');
  if (header !== HEADER) throw new MalformedEvidenceError(KIND, `its first line is not ${HEADER}`);
  const extra = lines[0]?.startsWith('extra ') ? parseExtra(lines.shift() ?? '') : undefined;
  const index = parseIndex(lines.shift());
  if (lines.length > MAX_HASHES) throw new MalformedEvidenceError(KIND, `it has more than ${MAX_HASHES} hashes`);
  const hashes = Object.freeze(lines.map(parseHash));
  const checkpoint = text.slice(split + 2);
  parseCheckpoint(parseNote(checkpoint).text);
  return Object.freeze({ index, hashes, checkpoint, ...(extra && { extra }) });
}

/**
 * Reads a proof and believes it when its checkpoint is signed by a trusted key of this log and the leaf stands under the checkpoint's root.
 *
 * @param leafHash of the record, computed from the record itself
 * @throws MalformedEvidenceError when it is no proof
 * @throws UntrustedEvidenceError with its reason
 */
export function verifyTlogProof(proof: string | Uint8Array, leafHash: Uint8Array, log: TrustedLog): VerifiedTlogProof {
  const { index, hashes, checkpoint: note, extra } = parseTlogProof(proof);
  const checkpoint = verifyCheckpoint(note, log);
  if (verifyInclusion(leafHash, { index, size: checkpoint.size, hashes }, checkpoint.root))
    return Object.freeze({ index, checkpoint, ...(extra && { extra }) });
  throw new UntrustedEvidenceError(
    'other root',
    `The record is not leaf ${index} of the signed tree of ${checkpoint.size}: the record, its index or the proof was changed.`,
  );
}

function parseExtra(line: string): Buffer {
  const extra = strictBase64(line.slice('extra '.length), KIND, 'the extra data');
  if (extra.length > 0) return extra;
  throw new MalformedEvidenceError(KIND, 'its extra line is empty instead of absent');
}

function parseIndex(line: string | undefined): number {
  if (line?.startsWith('index ')) return strictDecimal(line.slice('index '.length), KIND, 'the index');
  throw new MalformedEvidenceError(KIND, 'it has no index line');
}

function parseHash(line: string): Buffer {
  const hash = strictBase64(line, KIND, 'a hash');
  if (isHash(hash)) return hash;
  throw new MalformedEvidenceError(KIND, `a hash has ${hash.length} bytes instead of 32`);
}
