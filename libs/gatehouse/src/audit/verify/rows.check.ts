import type { StoredBatch } from '../../contracts/ports/ledger.reader.js';
import type { BatchHeader } from '../../contracts/ledger.js';
import { monthInstants } from '../../values/ledger/log.month.js';
import { rootOf } from '../../values/transparency/merkle.tree.js';
import type { FaultKind, EvidencePlace } from './verify.report.js';

const ROW = 52;
const ID_AT = 4;
const LEAF_AT = 20;

/** What is wrong with a batch, before anybody looks closer. */
export interface BatchFault {
  readonly kind: FaultKind;
  readonly place: EvidencePlace;
  readonly message: string;
  /** Whether its single rows may tell which it is. */
  readonly mayBeNamed: boolean;
}

/** How many rows there are under it. */
export const rowsIn = ({ rows }: StoredBatch): number => rows.length / ROW;

/** Holds the rows of a batch against its header; nothing where all is well. */
export function faultOf(month: string, batch: StoredBatch): BatchFault | undefined {
  const { writerId, seq, header, rows } = batch;
  const place = { month, writerId, seq };
  const found = rowsIn(batch);
  if (header === undefined) {
    const first = { ...place, idx: rows.readInt32BE(0), id: idAt(rows, 0) };
    return fault(
      'record added',
      first,
      `${found} records say they are of batch ${seq} of this writer in ${month}; it has no such batch.`,
    );
  }
  if (found === 0)
    return fault(
      'record missing',
      place,
      `All ${header.count} records of batch ${seq} of this writer are gone from ${month}.`,
    );
  return faultInOrder(place, month, header, rows) ?? faultInLeaves(place, header, rows);
}

function faultInOrder(
  place: EvidencePlace,
  month: string,
  { count }: BatchHeader,
  rows: Buffer,
): BatchFault | undefined {
  const found = rows.length / ROW;
  const { from, until } = monthInstants(month);
  for (let at = 0; at < found; at += 1) {
    const idx = rows.readInt32BE(at * ROW);
    const instant = rows.readUIntBE(at * ROW + ID_AT, 6);
    if (idx === at && instant >= from && instant < until) continue;
    const id = idAt(rows, at);
    if (idx === at)
      return fault(
        'record in another month',
        { ...place, idx, id },
        `Record ${id} does not belong into the month it is kept in.`,
      );
    if (idx < at) return added({ ...place, idx, id }, `There are two records with the index ${idx}, or one below 0.`);
    return fault('record missing', { ...place, idx: at }, `Record ${at} of this batch of ${count} is gone.`);
  }
  if (found < count)
    return fault('record missing', { ...place, idx: found }, `Record ${found} of this batch of ${count} is gone.`);
  if (found > count)
    return added(
      { ...place, idx: count, id: idAt(rows, count) },
      `The batch has ${count} records, ${found} are there.`,
    );
  return undefined;
}

function faultInLeaves(place: EvidencePlace, header: BatchHeader, rows: Buffer): BatchFault | undefined {
  const { count, root, firstId, lastId } = header;
  const leaves = Array.from({ length: count }, (_, at) => rows.subarray(at * ROW + LEAF_AT, (at + 1) * ROW));
  if (!rootOf(leaves).equals(root))
    return fault('record changed', place, `One of the ${count} records of this batch is not what was sealed.`, true);
  if (idAt(rows, 0) === firstId && idAt(rows, count - 1) === lastId) return undefined;
  return fault(
    'header changed',
    place,
    'The header names other records as its first and last than those that are there.',
  );
}

const added = (place: EvidencePlace, message: string): BatchFault => fault('record added', place, message, true);

const fault = (kind: FaultKind, place: EvidencePlace, message: string, mayBeNamed = false): BatchFault =>
  Object.freeze({ kind, place, message, mayBeNamed });

function idAt(rows: Buffer, at: number): string {
  const hex = rows.toString('hex', at * ROW + ID_AT, at * ROW + LEAF_AT);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
