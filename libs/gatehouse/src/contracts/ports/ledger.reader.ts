import type { BatchHeader, LedgerRecord } from '../ledger.js';
import type { StoredCheckpoint } from './seal.store.js';

/** A leaf of the global log as it is stored, and the header it stands for. */
export interface StoredLeaf {
  readonly index: number;
  readonly writerId: string;
  readonly seq: number;
  readonly hash: Uint8Array;
  /** Of the batch that is stored under this writer and number; nothing where none is, and where headers were not asked for. */
  readonly header: BatchHeader | undefined;
}

/** A month of the log: a partition that is there. `202611`. */
export type LogMonth = string;

/** One row of a batch, as far as the seal goes: its place, its id, and its leaf as SQL computed it from what is stored. */
export interface RowLeaf {
  readonly idx: number;
  readonly id: string;
  readonly leaf: Uint8Array;
}

/** What is stored under one writer and number in one month: the header, the rows, or only one of both. */
export interface StoredBatch {
  readonly writerId: string;
  readonly seq: number;
  readonly header: BatchHeader | undefined;
  /** By `idx`. 52 bytes each: idx (4, big endian), id (16), leaf (32). Empty where there are none. */
  readonly rows: Buffer;
}

/** Where a record stands. */
export interface RecordPlace {
  readonly writerId: string;
  readonly seq: number;
  readonly idx: number;
  readonly id: string;
}

/** What is wrong with a payload: its bytes do not fit, it is gone without an erasure, no record has one, it names another organization. */
export type PayloadFault = 'changed' | 'missing' | 'unrecorded' | 'other organization';

/** The payloads of one month. */
export interface PayloadCount {
  /** Records with a payload that fits. */
  readonly bound: number;
  /** Records whose payload is gone, covered by an erasure. */
  readonly erased: number;
}

/** A payload that is not as its record says. `place` is not known of one that no record has. */
export interface BadPayload {
  readonly id: string;
  readonly fault: PayloadFault;
  readonly place: RecordPlace | undefined;
}

/** A batch that was never sealed. */
export interface UnsealedBatch {
  readonly header: BatchHeader;
  /** Milliseconds since it was committed. */
  readonly ageMs: number;
}

/** A writer as the log tells of it, and as the working state has it. */
export interface KnownWriter {
  readonly id: string;
  /** By its row in the working state; nothing where that row is gone. */
  readonly state: 'open' | 'closed' | 'lost' | undefined;
  /** The number of its last batch, where its row or the record of its end tells. */
  readonly lastSeq: number | undefined;
  /** By its row; 0 without one. */
  readonly silentMs: number;
  /** How the log says that it ended: nothing where it has the beginning and no end. */
  readonly told: 'closed' | 'lost' | 'opened' | 'nothing';
  /** The highest number among the batches that are stored; 0 without any. */
  readonly storedSeq: number;
}

/** Facts that wait outside the log. Ages are by the later of id and `at`, in milliseconds; 0 without any. */
export interface UnmovedFacts {
  readonly count: number;
  readonly oldestMs: number;
  /** Below zero: one that says it is of the future. */
  readonly youngestMs: number;
  /** How many of them are erasures. */
  readonly erasures: number;
}

/** Something about the tables themselves that is not as it was made. */
export interface ShapeFault {
  readonly month: LogMonth | undefined;
  /** What, in words. */
  readonly message: string;
  /** Whether what is read through it means nothing: another relation, type or policy may answer in its place. */
  readonly isBlind: boolean;
}

/** How much there is to read, estimated, for a progress bar. */
export interface LedgerSize {
  readonly batches: number;
  readonly records: number;
}

/** A row of a batch with everything in it, to find out what was changed. */
export interface StoredRow extends RecordPlace {
  readonly record: LedgerRecord;
  readonly commitment: Uint8Array | null;
  /** Whether another transaction wrote this row than the header of its batch: batches are written at once. */
  readonly isLater: boolean;
}

/**
 * The evidence as it is stored, for whoever verifies it: one snapshot, read only, and no function of the schema is called. What it visits comes in
 * the order that is named, one at a time, without being kept.
 */
export interface LedgerSnapshot {
  readonly now: Date;
  /** What of the tables, their columns and partitions is not as it was made. Read from the catalog alone: ask before anything else. */
  shape(): Promise<readonly ShapeFault[]>;
  size(): Promise<LedgerSize>;
  /** Of more than `above` batches, by size, at most `most`. */
  checkpoints(above: number, most: number): Promise<readonly StoredCheckpoint[]>;
  /** The largest size that was noted as copied to an anchor; 0 without any. */
  anchoredSize(): Promise<number>;
  /** From this index up to, not including, the other, by index. */
  leaves(from: number, until: number, withHeaders: boolean, visit: (leaf: StoredLeaf) => void): Promise<void>;
  /** Those of the leaves in between that another transaction wrote than the checkpoint of `until` batches: they are written together. */
  laterLeaves(from: number, until: number): Promise<readonly StoredLeaf[]>;
  /** Stored hashes of subtrees from this leaf on. */
  nodes(
    from: number,
    visit: (node: { readonly level: number; readonly index: number; readonly hash: Uint8Array }) => void,
  ): Promise<void>;
  /** Batches that are not in the global log, by writer and number. */
  unsealed(visit: (batch: UnsealedBatch) => void): Promise<void>;
  /** Months that have a partition, the oldest first. */
  months(): Promise<readonly LogMonth[]>;
  /** Months that batches lie in, by their first ids, with how many records their headers say. */
  batchMonths(): Promise<readonly { readonly month: LogMonth; readonly records: number }[]>;
  /** The batches of a month, by writer and number; only those of the global log from this index on where one is given. */
  batches(month: LogMonth, fromIndex: number, visit: (batch: StoredBatch) => void): Promise<void>;
  /** The payloads of a month; at most `most` bad ones, by id. */
  payloads(
    month: LogMonth,
    fromIndex: number,
    most: number,
  ): Promise<PayloadCount & { readonly bad: readonly BadPayload[] }>;
  /**
   * Records of these kinds that the log tells about itself: gaps, lost writers, dropped months. Gaps and writers only of batches that are in the
   * global log from this index on, or not yet.
   */
  notices(fromIndex: number): Promise<readonly LedgerRecord[]>;
  /** Erasures that were recorded: whose traces, of what happened until when. */
  erasures(): Promise<readonly Pick<LedgerRecord, 'at' | 'principalId' | 'runId'>[]>;
  unmoved(): Promise<UnmovedFacts>;
  /** When the latest of these records happened; nothing where none is there. */
  latestAt(ids: readonly string[]): Promise<Date | undefined>;
  writers(): Promise<readonly KnownWriter[]>;
  /** Every row that says it is of this batch, wherever it lies, by `idx`. */
  rowsOf(writerId: string, seq: number): Promise<readonly StoredRow[]>;
}

/** One record with what proves it. */
export interface ProvableRecord {
  readonly place: RecordPlace;
  /** The bytes its leaf is the hash of, made from what is stored. */
  readonly leafData: Uint8Array;
  readonly header: BatchHeader;
  /** Of the whole batch, in order. */
  readonly leaves: readonly Uint8Array[];
  /** Where the batch stands in the global log; nothing where it is not sealed yet. */
  readonly logIndex: number | undefined;
  readonly payload: { readonly salt: Uint8Array; readonly body: Uint8Array } | undefined;
}

/** What a proof needs to be read. */
export interface ProofReader {
  /** Nothing for an unknown id. */
  record(id: string): Promise<ProvableRecord | undefined>;
  latestCheckpoint(): Promise<StoredCheckpoint | undefined>;
  /** Stored hashes of the global log: leaves on level 0, subtrees on 8, 16, … */
  read(level: number, first: number, count: number): Promise<readonly Uint8Array[]>;
}

/** The evidence as a verifier reads it. */
export abstract class LedgerReader {
  /** Everything that is read within is of one moment. */
  abstract snapshot<T>(work: (snapshot: LedgerSnapshot & ProofReader) => Promise<T>): Promise<T>;
}
