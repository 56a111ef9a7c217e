import { IntegrityError } from '../../contracts/errors/integrity.error.js';
import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import type { LedgerReader, ProofReader, ProvableRecord } from '../../contracts/ports/ledger.reader.js';
import { isUuid } from '../../values/ids.js';
import { readLeaf } from '../../values/ledger/leaf.reading.js';
import { payloadCommitment } from '../../values/ledger/payload.js';
import { headerData } from '../../values/ledger/batch.header.js';
import { inclusionProofOf, proveInclusion, verifyInclusion } from '../../values/transparency/inclusion.proof.js';
import { leafHash, rootOf } from '../../values/transparency/merkle.tree.js';
import { formatTlogProof } from '../../values/transparency/tlog.proof.js';
import type { ProofBundle } from './proof.bundle.js';

/** How a record is proved. */
export interface ProveOptions {
  /** Whether the texts of the record go with it: arguments, result, error, address. Default false. */
  readonly disclose?: boolean;
}

/**
 * Makes the proof that a record is in the sealed log.
 *
 * @throws InvalidQueryError for an unknown record, one that is not sealed yet, and one whose texts are gone where they are to be disclosed
 * @throws IntegrityError where what is stored does not hold: then there is nothing to prove
 */
export function proveRecord(
  reader: LedgerReader,
  id: string,
  { disclose = false }: ProveOptions = {},
): Promise<ProofBundle> {
  return reader.snapshot(async (snapshot) => {
    const found = isUuid(id) ? await snapshot.record(id) : undefined;
    if (found === undefined) throw new InvalidQueryError('The id', 'is that of no sealed record');
    const { leafData, header, place, payload } = found;
    refuseBroken(found);
    if (disclose) refuseUndisclosable(found);
    const tlogProof = await proveBatch(snapshot, found);
    return Object.freeze<ProofBundle>({
      format: 'gatehouse-proof@v1',
      id: place.id,
      leafData: hex(leafData),
      inBatch: {
        index: place.idx,
        hashes: inclusionProofOf(found.leaves, place.idx).hashes.map(hex),
      },
      batch: { ...header, root: hex(header.root) },
      tlogProof,
      ...(disclose && payload && { payload: { salt: hex(payload.salt), body: base64(payload.body) } }),
    });
  });
}

async function proveBatch(snapshot: ProofReader, { header, logIndex }: ProvableRecord): Promise<string> {
  const checkpoint = await snapshot.latestCheckpoint();
  if (logIndex === undefined || checkpoint === undefined || logIndex >= checkpoint.treeSize)
    throw new InvalidQueryError('The id', 'is that of a record that is not sealed yet: try again in a second');
  const proof = await proveInclusion(logIndex, checkpoint.treeSize, snapshot);
  if (!verifyInclusion(leafHash(headerData(header)), proof, checkpoint.root)) throw broken();
  return formatTlogProof({ index: logIndex, hashes: proof.hashes, checkpoint: checkpoint.note });
}

function refuseBroken({ leafData, leaves, header, place }: ProvableRecord): void {
  const own = leaves[place.idx];
  const isWhole = leaves.length === header.count && own !== undefined && leafHash(leafData).equals(own);
  if (!isWhole || !rootOf(leaves).equals(header.root)) throw broken();
}

function refuseUndisclosable({ leafData, payload }: ProvableRecord): void {
  const commitment = readLeaf(Buffer.from(leafData))?.commitment ?? null;
  if (payload === undefined) {
    if (commitment === null) return;
    throw new InvalidQueryError(
      'The id',
      'is that of a record whose texts are gone: they were erased, or deleted. Prove it without disclosing them',
    );
  }
  if (commitment === null || !payloadCommitment(payload.salt, payload.body).equals(commitment))
    throw new IntegrityError(
      "The texts of the record are not the ones it was bound to: there is nothing true to disclose. Run 'gatehouse verify'.",
    );
}

const broken = (): IntegrityError =>
  new IntegrityError(
    "The record is not what was sealed, or its batch is not: nothing can be proved. Run 'gatehouse verify'.",
  );

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
