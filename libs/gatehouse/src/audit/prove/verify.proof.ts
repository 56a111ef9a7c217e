import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import type { LedgerPayload, LedgerRecord } from '../../contracts/ledger.js';
import { headerData } from '../../values/ledger/batch.header.js';
import { readLeaf } from '../../values/ledger/leaf.reading.js';
import { payloadCommitment } from '../../values/ledger/payload.js';
import { verifyInclusion } from '../../values/transparency/inclusion.proof.js';
import { leafHash } from '../../values/transparency/merkle.tree.js';
import { verifyTlogProof } from '../../values/transparency/tlog.proof.js';
import { parseVerifierKey } from '../../values/transparency/verifier.key.js';
import { parseProof, type ProofBundle } from './proof.bundle.js';

/** Whom to believe. */
export interface VerifyProofOptions {
  /** The verifier keys (`name+id+key`) that are trusted. */
  readonly keys: readonly string[];
  /** The log's name. Default: that of the first key. */
  readonly origin?: string;
}

/** What a proof that holds says. */
export interface ProvedRecord {
  readonly record: LedgerRecord;
  /** Where it was disclosed, and is what the record was bound to. */
  readonly payload: LedgerPayload | undefined;
  /** Batches the signed log had. */
  readonly treeSize: number;
  readonly logIndex: number;
}

/**
 * Verifies a proof, with nothing but the key: no database, no network.
 *
 * @throws MalformedEvidenceError when it is no proof
 * @throws UntrustedEvidenceError with its reason, where it does not hold
 * @throws ConfigurationError without a key
 */
export function verifyProof(text: string, { keys, origin }: VerifyProofOptions): ProvedRecord {
  const trusted = keys.map(parseVerifierKey);
  const [first] = trusted;
  if (first === undefined) throw new ConfigurationError('Without a key there is nothing to verify a proof against.');
  const bundle = parseProof(text);
  const { record, commitment } = recordOf(bundle);
  const header = { ...bundle.batch, root: bytes(bundle.batch.root) };
  const { index, checkpoint } = verifyTlogProof(bundle.tlogProof, leafHash(headerData(header)), {
    origin: origin ?? first.name,
    keys: trusted,
  });
  const inBatch = { index: bundle.inBatch.index, size: header.count, hashes: bundle.inBatch.hashes.map(bytes) };
  if (!verifyInclusion(leafHash(bytes(bundle.leafData)), inBatch, header.root))
    throw notThere('The record is not in its batch');
  return Object.freeze({
    record,
    payload: payloadOf(bundle, commitment),
    treeSize: checkpoint.size,
    logIndex: index,
  });
}

function recordOf({ leafData, id }: ProofBundle) {
  const leaf = readLeaf(bytes(leafData));
  if (leaf === undefined) throw new MalformedEvidenceError('proof', 'its leaf data is no encoded record');
  if (leaf.record.id === id) return leaf;
  throw notThere(`The proof is about another record than ${id}`);
}

function payloadOf({ payload }: ProofBundle, commitment: Uint8Array | null): LedgerPayload | undefined {
  if (payload === undefined) return undefined;
  const body = Buffer.from(payload.body, 'base64');
  if (commitment === null || !payloadCommitment(bytes(payload.salt), body).equals(commitment))
    throw notThere('The disclosed payload is not the one the record was bound to');
  return JSON.parse(body.toString('utf8')) as LedgerPayload;
}

const notThere = (what: string): UntrustedEvidenceError =>
  new UntrustedEvidenceError('other root', `${what}: the record, its batch or the proof was changed.`);

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
