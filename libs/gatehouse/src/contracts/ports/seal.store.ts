import type { BatchHeader } from '../ledger.js';

/** A checkpoint as it is committed: what is published and anchored is read from here. */
export interface StoredCheckpoint {
  /** Batches in the global log. */
  readonly treeSize: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** The signed note. */
  readonly note: string;
  readonly createdAt: Date;
}

/** What one round of sealing adds: batches at the end of the global log, the hashes of subtrees that became complete, the checkpoint over all. */
export interface Sealing {
  /** The index of the first new leaf: the size of the log before. */
  readonly from: number;
  readonly leaves: readonly { readonly batch: BatchHeader; readonly hash: Uint8Array }[];
  readonly nodes: readonly { readonly level: number; readonly index: number; readonly hash: Uint8Array }[];
  readonly checkpoint: Omit<StoredCheckpoint, 'createdAt'>;
}

/** The right to seal: one process has it at a time, and loses it with its connection. */
export interface SealLead {
  /** The newest checkpoint; nothing in a new log. */
  checkpoint(): Promise<StoredCheckpoint | undefined>;
  /** Batches that are not in the global log, of each writer in the order of its numbers, without a gap. */
  unsealed(most: number): Promise<readonly BatchHeader[]>;
  /** Stored hashes of the global log: leaves on level 0, subtrees on 8, 16, … */
  read(level: number, first: number, count: number): Promise<readonly Uint8Array[]>;
  /** One transaction. */
  seal(sealing: Sealing): Promise<void>;
  /** That an anchor has a checkpoint. */
  recordAnchor(treeSize: number, anchor: string, receipt: string | null): Promise<void>;
  release(): Promise<void>;
}

/** What the seal needs of a store. */
export abstract class SealStore {
  /** Takes the lead; nothing where another process has it. */
  abstract lead(): Promise<SealLead | undefined>;
  abstract latestCheckpoint(): Promise<StoredCheckpoint | undefined>;
  /** The size that was copied to this anchor last; 0 where none was. */
  abstract anchoredSize(anchor: string): Promise<number>;
}
