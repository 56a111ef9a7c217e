import type { LedgerEntry } from '../../contracts/ledger.js';
import { rootOf } from '../transparency/merkle.tree.js';
import { encodeLeaf } from './leaf.data.js';
import { sealPayload, type SealedPayload } from './payload.js';

/** A record that is ready to be sealed: its payload bound, its leaf made. */
export interface PreparedEntry {
  readonly entry: LedgerEntry;
  readonly payload: SealedPayload | null;
  /** The encoded record: what is stored is cut out of what is hashed. */
  readonly data: Buffer;
  readonly leaf: Buffer;
}

/**
 * Does the work on one record that needs nothing of its batch.
 *
 * @throws UnstorableValue for what its column cannot hold
 */
export function prepareEntry(entry: LedgerEntry): PreparedEntry {
  const payload = entry.payload === null ? null : sealPayload(entry.payload);
  return { entry, payload, ...encodeLeaf(entry.record, payload?.commitment ?? null) };
}

/** The Merkle root of a batch. */
export const batchRoot = (entries: readonly PreparedEntry[]): Buffer => rootOf(entries.map(({ leaf }) => leaf));

/** Entries by the month of their ids, in order: a batch lies in one month, so that a month can go without breaking another's. */
export function byMonth(entries: readonly PreparedEntry[]): readonly (readonly PreparedEntry[])[] {
  const months = new Map<string, PreparedEntry[]>();
  let month = NO_MONTH;
  for (const prepared of entries) {
    const { id } = prepared.entry.record;
    if (!isWithin(month, id)) month = boundsOf(id);
    const others = months.get(month.low);
    if (others === undefined) months.set(month.low, [prepared]);
    else others.push(prepared);
  }
  return [...months.values()];
}

/** A month as the start of the lowest id in it, and of the lowest after it: ids compare as times do. */
interface Month {
  readonly low: string;
  readonly high: string;
}

const NO_MONTH: Month = { low: '', high: '' };

const isWithin = ({ low, high }: Month, id: string): boolean => id >= low && id < high;

function boundsOf(id: string): Month {
  const at = instantOf(id);
  const start = (months: number): string => idStart(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months));
  return { low: start(0), high: start(1) };
}

function idStart(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** When a uuid v7 was made. */
export const instantOf = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
