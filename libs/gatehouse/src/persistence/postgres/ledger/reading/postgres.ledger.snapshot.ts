import type { Client } from 'pg';
import type { LedgerRecord } from '../../../../contracts/ledger.js';
import type {
  BadPayload,
  KnownWriter,
  LedgerSize,
  LedgerSnapshot,
  LogMonth,
  PayloadCount,
  ProofReader,
  ProvableRecord,
  ShapeFault,
  StoredBatch,
  StoredLeaf,
  StoredRow,
  UnmovedFacts,
  UnsealedBatch,
} from '../../../../contracts/ports/ledger.reader.js';
import type { StoredCheckpoint } from '../../../../contracts/ports/seal.store.js';
import { boundsOf } from '../../../../values/ledger/log.month.js';
import type { TableNames } from '../../table.names.js';
import { checkpointOf, type CheckpointRow } from '../checkpoint.rows.js';
import { recordColumns, recordOf, type RecordRow } from '../ledger.rows.js';
import {
  batchesQuery,
  batchOf,
  laterLeavesQuery,
  leafOf,
  leavesQuery,
  unsealedOf,
  unsealedQuery,
} from './batch.queries.js';
import { LedgerMonths } from './ledger.months.js';
import { readShape } from './ledger.shape.js';
import { badPayloadOf, badPayloads, payloadCounts } from './payload.query.js';
import { readProvable } from './provable.record.js';
import { bytesOf, streamRows } from './row.stream.js';
import { readErasures } from './erasure.query.js';
import { readUnmoved } from './unmoved.query.js';
import { readWriters } from './writer.query.js';

/** The evidence as one transaction sees it. */
export class PostgresLedgerSnapshot implements LedgerSnapshot, ProofReader {
  private readonly partitions: LedgerMonths;

  constructor(
    private readonly client: Client,
    private readonly tables: TableNames,
    readonly now: Date,
  ) {
    this.partitions = new LedgerMonths(client, tables);
  }

  shape(): Promise<readonly ShapeFault[]> {
    return readShape(this.client, this.tables);
  }

  async size(): Promise<LedgerSize> {
    const [row] = await this.rows<{ batches: string; records: string }>(
      `SELECT count(*) AS batches, coalesce(sum(count), 0) AS records FROM ${this.tables.batch}`,
    );
    return { batches: Number(row?.batches ?? 0), records: Number(row?.records ?? 0) };
  }

  async checkpoints(above: number, most: number): Promise<readonly StoredCheckpoint[]> {
    const rows = await this.rows<CheckpointRow>(
      `SELECT tree_size, root, note, created_at FROM ${this.tables.checkpoint} WHERE tree_size > $1 ORDER BY tree_size LIMIT $2`,
      [above, most],
    );
    return rows.map(checkpointOf);
  }

  async anchoredSize(): Promise<number> {
    const [row] = await this.rows<{ size: string | null }>(`SELECT max(tree_size) AS size FROM ${this.tables.anchor}`);
    return Number(row?.size ?? 0);
  }

  leaves(from: number, until: number, withHeaders: boolean, visit: (leaf: StoredLeaf) => void): Promise<void> {
    return streamRows(this.client, leavesQuery(this.tables, withHeaders), [from, until], (row) => visit(leafOf(row)));
  }

  async laterLeaves(from: number, until: number): Promise<readonly StoredLeaf[]> {
    const found: StoredLeaf[] = [];
    await streamRows(this.client, laterLeavesQuery(this.tables), [from, until], (row) => found.push(leafOf(row)));
    return found;
  }

  nodes(
    from: number,
    visit: (node: { readonly level: number; readonly index: number; readonly hash: Uint8Array }) => void,
  ): Promise<void> {
    return streamRows(
      this.client,
      `SELECT level, index, hash FROM ${this.tables.tile} WHERE (index + 1) * power(2, level) > $1 ORDER BY level, index`,
      [from],
      ([level, index, hash]) => visit({ level: Number(level), index: Number(index), hash: bytesOf(hash) }),
    );
  }

  unsealed(visit: (batch: UnsealedBatch) => void): Promise<void> {
    return streamRows(this.client, unsealedQuery(this.tables), [], (row) => {
      const batch = unsealedOf(row);
      if (batch !== undefined) visit(batch);
    });
  }

  months(): Promise<readonly LogMonth[]> {
    return this.partitions.months();
  }

  batchMonths(): Promise<readonly { readonly month: LogMonth; readonly records: number }[]> {
    return this.partitions.batchMonths();
  }

  async batches(month: LogMonth, fromIndex: number, visit: (batch: StoredBatch) => void): Promise<void> {
    const { log } = this.partitions.tablesOf(month);
    const { low, high } = boundsOf(month);
    const isPart = fromIndex > 0;
    const text = batchesQuery(this.tables, log, isPart);
    await streamRows(this.client, text, isPart ? [low, high, fromIndex] : [low, high], (row) => visit(batchOf(row)));
  }

  async payloads(
    month: LogMonth,
    fromIndex: number,
    most: number,
  ): Promise<PayloadCount & { readonly bad: readonly BadPayload[] }> {
    const tables = this.partitions.tablesOf(month);
    const isPart = fromIndex > 0;
    const counts = new Map<string, number>();
    await streamRows(this.client, payloadCounts(this.tables, tables, isPart), [fromIndex], ([verdict, count]) => {
      counts.set(verdict ?? '', Number(count));
    });
    const [bound, erased] = [counts.get('bound') ?? 0, counts.get('erased') ?? 0];
    const bad: BadPayload[] = [];
    counts.delete('bound');
    counts.delete('erased');
    if (counts.size > 0) {
      await streamRows(this.client, badPayloads(this.tables, tables, isPart), [fromIndex, most], (row) => {
        bad.push(badPayloadOf(row));
      });
    }
    return { bound, erased, bad };
  }

  async notices(fromIndex: number): Promise<readonly LedgerRecord[]> {
    const rows = await this.rows<RecordRow>(
      `SELECT ${recordColumns('l')} FROM ${this.tables.log} l
        WHERE l.kind = 'retention' OR ((l.kind = 'gap' OR (l.kind = 'writer' AND l.status = 'lost')) AND NOT EXISTS (
          SELECT FROM ${this.tables.leaf} f WHERE f.writer_id = l.writer_id AND f.seq = l.seq AND f.log_index < $1)) ORDER BY l.id`,
      [fromIndex],
    );
    return rows.map(recordOf);
  }

  erasures(): Promise<readonly Pick<LedgerRecord, 'at' | 'principalId' | 'runId'>[]> {
    return readErasures(this.client, this.tables);
  }

  async latestAt(ids: readonly string[]): Promise<Date | undefined> {
    const [row] = await this.rows<{ at: Date | null }>(
      `SELECT max(at) AS at FROM ${this.tables.log} WHERE id = ANY ($1::uuid[])`,
      [ids],
    );
    return row?.at ?? undefined;
  }

  unmoved(): Promise<UnmovedFacts> {
    return readUnmoved(this.client, this.tables);
  }

  writers(): Promise<readonly KnownWriter[]> {
    return readWriters(this.client, this.tables);
  }

  async rowsOf(writerId: string, seq: number): Promise<readonly StoredRow[]> {
    const rows = await this.rows<RecordRow & Place>(
      `SELECT ${recordColumns('l')}, l.payload_commitment AS commitment, l.idx, l.xmin::text <> b.xmin::text AS later
        FROM ${this.tables.log} l LEFT JOIN ${this.tables.batch} b ON b.writer_id = l.writer_id AND b.seq = l.seq
        WHERE l.writer_id = $1 AND l.seq = $2 ORDER BY l.idx, l.id`,
      [writerId, seq],
    );
    return rows.map((row) => ({
      writerId,
      seq,
      idx: row.idx,
      id: row.id,
      record: recordOf(row),
      commitment: row.commitment,
      isLater: row.later === true,
    }));
  }

  record(id: string): Promise<ProvableRecord | undefined> {
    return readProvable(this.client, this.tables, id);
  }

  async latestCheckpoint(): Promise<StoredCheckpoint | undefined> {
    const [row] = await this.rows<CheckpointRow>(
      `SELECT tree_size, root, note, created_at FROM ${this.tables.checkpoint} ORDER BY tree_size DESC LIMIT 1`,
    );
    return row === undefined ? undefined : checkpointOf(row);
  }

  async read(level: number, first: number, count: number): Promise<readonly Uint8Array[]> {
    const [table, column] = level === 0 ? [this.tables.leaf, 'log_index'] : [this.tables.tile, 'index'];
    const rows = await this.rows<{ hash: Buffer }>(
      `SELECT hash FROM ${table} WHERE ${level === 0 ? '$3::integer = 0' : 'level = $3'} AND ${column} >= $1 AND ${column} < $2 ORDER BY ${column}`,
      [first, first + count, level],
    );
    return rows.map(({ hash }) => hash);
  }

  private async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.client.query<Row>(text, [...values])).rows;
  }
}

interface Place {
  readonly id: string;
  readonly idx: number;
  readonly commitment: Buffer | null;
  readonly later: boolean | null;
}
