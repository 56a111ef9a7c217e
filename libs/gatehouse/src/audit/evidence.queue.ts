import type { AuditEvent } from '../contracts/audit.event.js';
import type { OperationRecord } from '../contracts/operation.record.js';

/** One record on its way to the store. */
export type QueuedRecord =
  | { readonly ledger: 'executions'; readonly record: AuditEvent; readonly bytes: number }
  | { readonly ledger: 'operations'; readonly record: OperationRecord; readonly bytes: number };

/** What bounds the queue. */
export interface QueueBounds {
  readonly records: number;
  readonly bytes: number;
}

/** First in, first out, bounded by records and bytes. */
export class EvidenceQueue {
  private queued: QueuedRecord[] = [];
  private bytes = 0;

  constructor(private readonly bounds: QueueBounds) {}

  get length(): number {
    return this.queued.length;
  }

  /** False: it is full, nothing was queued. */
  add(record: QueuedRecord): boolean {
    if (this.queued.length >= this.bounds.records || this.bytes + record.bytes > this.bounds.bytes) return false;
    this.queued.push(record);
    this.bytes += record.bytes;
    return true;
  }

  /** Takes the oldest ones out, at most `most`. */
  take(most: number): readonly QueuedRecord[] {
    const taken = this.queued.slice(0, most);
    this.queued = this.queued.slice(most);
    this.bytes -= taken.reduce((sum, { bytes }) => sum + bytes, 0);
    return taken;
  }
}

// The typed columns; two bytes for each character of the texts is what the heap pays.
const FIXED_BYTES = 1024;

/** About what a record costs while it waits. */
export function costOf(record: AuditEvent | OperationRecord): number {
  return FIXED_BYTES + 2 * (record.argumentsRepr.length + (record.error?.length ?? 0));
}
