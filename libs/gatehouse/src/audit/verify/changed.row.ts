import type { BatchHeader, LedgerRecord } from '../../contracts/ledger.js';
import type { RecordPlace, StoredRow } from '../../contracts/ports/ledger.reader.js';
import { leafData } from '../../values/ledger/leaf.data.js';
import { UnstorableValue } from '../../values/ledger/leaf.values.js';
import { inclusionProofOf, verifyInclusion, type InclusionProof } from '../../values/transparency/inclusion.proof.js';
import { leafHash, rootOf } from '../../values/transparency/merkle.tree.js';
import { repairsOf, type Content } from './row.repairs.js';

/** Which record of a batch was changed, as far as it can be told. */
export interface ChangedRow {
  readonly place: RecordPlace;
  readonly columns?: readonly string[];
  readonly certainty: 'proven' | 'likely';
}

// Reordering is looked for among all pairs only where those are few.
const FEW = 64;

/**
 * Finds the record whose change broke the root of its batch. A root does not say which leaf it was, so obvious repairs are tried: what makes the
 * root right again was the change, and that is proof. Failing that, a row that a later transaction wrote than its batch is the likely one.
 */
export function findChange(header: BatchHeader, rows: readonly StoredRow[]): ChangedRow | undefined {
  const found = rows.filter(({ isLater }) => isLater);
  // In a database that was restored from a dump, all are.
  const later = found.length < rows.length ? found : [];
  const leaves = rows.map(leafOf);
  return (
    repaired(header, rows, leaves, later.length > 0 ? later : rows) ??
    swapped(header, rows, leaves, later.length > 0 ? later : rows) ??
    (later[0] && { place: placeOf(later[0]), certainty: 'likely' }) ??
    // Only one record is there to be changed.
    (rows.length === 1 && rows[0] ? { place: placeOf(rows[0]), certainty: 'likely' } : undefined)
  );
}

function repaired(
  header: BatchHeader,
  rows: readonly StoredRow[],
  leaves: readonly Buffer[],
  suspects: readonly StoredRow[],
): ChangedRow | undefined {
  for (const row of suspects) {
    const proof = inclusionProofOf(leaves, rows.indexOf(row));
    for (const { columns, content } of repairsOf(row, rows, header)) {
      if (fits(content, proof, header)) return { place: placeOf(row), columns, certainty: 'proven' };
    }
  }
  return undefined;
}

function swapped(
  { root }: BatchHeader,
  rows: readonly StoredRow[],
  leaves: readonly Buffer[],
  suspects: readonly StoredRow[],
): ChangedRow | undefined {
  if (suspects.length > FEW) return undefined;
  const places = suspects.map((row) => rows.indexOf(row));
  for (const one of places) {
    for (const other of places) {
      const row = rows[one];
      if (one >= other || row === undefined) continue;
      const order = leaves.map((leaf, at) => (at === one ? leaves[other] : at === other ? leaves[one] : leaf) ?? leaf);
      if (rootOf(order).equals(root)) return { place: placeOf(row), columns: ['idx'], certainty: 'proven' };
    }
  }
  return undefined;
}

function fits({ record, commitment }: Content, proof: InclusionProof, { root }: BatchHeader): boolean {
  const leaf = hashed(record, commitment);
  return leaf !== undefined && verifyInclusion(leaf, proof, root);
}

const leafOf = ({ record, commitment }: StoredRow): Buffer => hashed(record, commitment) ?? Buffer.alloc(32);

// What is stored may be nothing we could have written.
function hashed(record: LedgerRecord, commitment: Uint8Array | null): Buffer | undefined {
  try {
    return leafHash(leafData(record, commitment));
  } catch (error) {
    if (error instanceof UnstorableValue) return undefined;
    throw error;
  }
}

const placeOf = ({ writerId, seq, idx, id }: RecordPlace): RecordPlace => ({ writerId, seq, idx, id });
