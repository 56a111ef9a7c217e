import type { BatchHeader } from '../../../contracts/ledger.js';
import type { StoredCheckpoint } from '../../../contracts/ports/seal.store.js';

/** A row of `audit_checkpoint`; the size is a bigint. */
export interface CheckpointRow {
  readonly tree_size: string;
  readonly root: Buffer;
  readonly note: string;
  readonly created_at: Date;
}

export const checkpointOf = (row: CheckpointRow): StoredCheckpoint => ({
  treeSize: Number(row.tree_size),
  root: row.root,
  note: row.note,
  createdAt: row.created_at,
});

/** A row of `audit_batch`; the number is a bigint. */
export interface BatchRow {
  readonly writer_id: string;
  readonly seq: string;
  readonly count: number;
  readonly first_id: string;
  readonly last_id: string;
  readonly root: Buffer;
}

export const headerOf = (row: BatchRow): BatchHeader => ({
  writerId: row.writer_id,
  seq: Number(row.seq),
  count: row.count,
  firstId: row.first_id,
  lastId: row.last_id,
  root: row.root,
});
