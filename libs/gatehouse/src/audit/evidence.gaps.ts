import type { LedgerEntry } from '../contracts/ledger.js';
import { gapEntry, refusedEntry, type Gap, type GapStatus } from '../values/ledger/gap.entry.js';

// What stands for single records is bounded too; beyond that they are only counted.
const MOST = 1000;

/** What is missing from the log and not yet told there. */
export class EvidenceGaps {
  private single: LedgerEntry[] = [];
  private readonly rows = new Map<GapStatus, Gap>();

  get isEmpty(): boolean {
    return this.single.length === 0 && this.rows.size === 0;
  }

  /** One record that the log cannot take. */
  refused(entry: LedgerEntry, status: 'refused' | 'conflict', reason: string): void {
    // A gap that is refused itself, or cannot be told one by one, says less.
    if (entry.record.kind === 'gap' || this.single.length >= MOST) return this.missing(entry, status, reason);
    this.single.push(refusedEntry(entry, status, reason, new Date()));
  }

  /** One more of those that are missing for the same reason. */
  missing({ record: { id } }: LedgerEntry, status: GapStatus, reason: string): void {
    const gap = this.rows.get(status);
    const now = new Date();
    if (gap === undefined) this.rows.set(status, { status, amount: 1, firstId: id, lastId: id, since: now, reason });
    else this.rows.set(status, { ...gap, amount: gap.amount + 1, lastId: id });
  }

  /** Takes out the records that tell of it. */
  take(): readonly LedgerEntry[] {
    if (this.isEmpty) return [];
    const now = new Date();
    const entries = [...this.single, ...[...this.rows.values()].map((gap) => gapEntry(gap, now))];
    this.single = [];
    this.rows.clear();
    return entries;
  }
}
