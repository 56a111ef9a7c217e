import type { LedgerEntry } from '../contracts/ledger.js';

/** One record on its way to the log. */
export interface QueuedRecord {
  readonly entry: LedgerEntry;
  readonly bytes: number;
  /** Told once: with nothing when it is committed, else with why it is not. */
  readonly settle?: (failure?: Error) => void;
}

/** What bounds the queue. */
export interface QueueBounds {
  readonly records: number;
  readonly bytes: number;
}

/** First in, first out, bounded by records and bytes; records that somebody waits for go first. */
export class EvidenceQueue {
  bytes = 0;
  private readonly awaited = new Line();
  private readonly others = new Line();

  constructor(readonly bounds: QueueBounds) {}

  get length(): number {
    return this.awaited.length + this.others.length;
  }

  /** False: it is full, nothing was queued. */
  add(record: QueuedRecord): boolean {
    if (this.length >= this.bounds.records || this.bytes + record.bytes > this.bounds.bytes) return false;
    (record.settle === undefined ? this.others : this.awaited).add(record);
    this.bytes += record.bytes;
    return true;
  }

  /** Takes the next ones out: at most `most`, and no more bytes than that, but at least one. */
  take(most: number, bytes: number): readonly QueuedRecord[] {
    const taken: QueuedRecord[] = [];
    let size = 0;
    for (const line of [this.awaited, this.others]) {
      for (let next = line.first; next !== undefined && taken.length < most; next = line.first) {
        if (taken.length > 0 && size + next.bytes > bytes) break;
        taken.push(next);
        size += next.bytes;
        line.removeFirst();
      }
    }
    this.bytes -= size;
    return taken;
  }
}

/** A queue that moves its elements only now and then. */
class Line {
  private records: QueuedRecord[] = [];
  private head = 0;

  get length(): number {
    return this.records.length - this.head;
  }

  get first(): QueuedRecord | undefined {
    return this.records[this.head];
  }

  add(record: QueuedRecord): void {
    this.records.push(record);
  }

  removeFirst(): void {
    this.head += 1;
    if (this.head * 2 < this.records.length) return;
    this.records = this.records.slice(this.head);
    this.head = 0;
  }
}

// The typed columns; two bytes for each character of the texts is what the heap pays.
const FIXED_BYTES = 1024;

/** About what a record costs while it waits. */
export function costOf({ payload }: LedgerEntry): number {
  let characters = 0;
  for (const text of Object.values(payload ?? {}) as string[]) characters += text.length;
  return FIXED_BYTES + 2 * characters;
}
