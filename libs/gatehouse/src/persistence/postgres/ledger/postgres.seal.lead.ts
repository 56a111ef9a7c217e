import type { Client } from 'pg';
import { StorageUnavailableError } from '../../../contracts/errors/storage-unavailable.error.js';
import type { BatchHeader } from '../../../contracts/ledger.js';
import type { SealLead, Sealing, StoredCheckpoint } from '../../../contracts/ports/seal.store.js';
import { driverError } from '../driver.errors.js';
import type { TableNames } from '../table.names.js';
import { checkpointOf, headerOf, type BatchRow, type CheckpointRow } from './checkpoint.rows.js';

/** The lead in sealing: an advisory lock of this session. Everything goes over its connection, so nothing is sealed once it is lost. */
export class PostgresSealLead implements SealLead {
  constructor(
    private readonly client: Client,
    private readonly tables: TableNames,
  ) {}

  async checkpoint(): Promise<StoredCheckpoint | undefined> {
    const [row] = await this.rows<CheckpointRow>(
      `SELECT tree_size, root, note, created_at FROM ${this.tables.checkpoint} ORDER BY tree_size DESC LIMIT 1`,
    );
    return row === undefined ? undefined : checkpointOf(row);
  }

  async unsealed(most: number): Promise<readonly BatchHeader[]> {
    // Of each writer, what follows its last sealed number without a gap: a batch whose predecessor is still being committed waits for it.
    const rows = await this.rows<BatchRow>(
      `SELECT b.writer_id, b.seq, b.count, b.first_id, b.last_id, b.root
        FROM (SELECT w.id, coalesce((SELECT max(l.seq) FROM ${this.tables.leaf} l WHERE l.writer_id = w.id), 0) AS sealed
          FROM ${this.tables.writer} w WHERE w.state = 'open' OR w.sealed_seq < w.last_seq) w
        CROSS JOIN LATERAL (
          SELECT n.*, n.seq - row_number() OVER (ORDER BY n.seq) AS run FROM (
            SELECT * FROM ${this.tables.batch} a WHERE a.writer_id = w.id AND a.seq > w.sealed ORDER BY a.seq LIMIT $1) n
        ) b WHERE b.run = w.sealed ORDER BY b.recorded_at, b.writer_id, b.seq LIMIT $1`,
      [most],
    );
    return rows.map(headerOf);
  }

  async read(level: number, first: number, count: number): Promise<readonly Uint8Array[]> {
    const [table, column] =
      level === 0
        ? [this.tables.leaf, 'log_index']
        : [`(SELECT * FROM ${this.tables.tile} WHERE level = ${level}) t`, 'index'];
    const rows = await this.rows<{ hash: Buffer }>(
      `SELECT hash FROM ${table} WHERE ${column} >= $1 AND ${column} < $2 ORDER BY ${column}`,
      [first, first + count],
    );
    return rows.map(({ hash }) => hash);
  }

  async seal({ from, leaves, nodes, checkpoint }: Sealing): Promise<void> {
    try {
      await this.client.query('BEGIN');
      await this.client.query(
        `INSERT INTO ${this.tables.leaf} (log_index, writer_id, seq, hash)
          SELECT $1::bigint + ordinality - 1, writer_id, seq, hash
            FROM unnest($2::uuid[], $3::bigint[], $4::bytea[]) WITH ORDINALITY AS l(writer_id, seq, hash, ordinality)`,
        [
          from,
          leaves.map(({ batch }) => batch.writerId),
          leaves.map(({ batch }) => batch.seq),
          leaves.map(({ hash }) => hash),
        ],
      );
      await this.client.query(
        `INSERT INTO ${this.tables.tile} (level, index, hash) SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bytea[])`,
        [nodes.map(({ level }) => level), nodes.map(({ index }) => index), nodes.map(({ hash }) => hash)],
      );
      await this.client.query(`INSERT INTO ${this.tables.checkpoint} (tree_size, root, note) VALUES ($1, $2, $3)`, [
        checkpoint.treeSize,
        checkpoint.root,
        checkpoint.note,
      ]);
      await this.client.query(
        `UPDATE ${this.tables.writer} w SET sealed_seq = s.seq
          FROM (SELECT writer_id, max(seq) AS seq FROM unnest($1::uuid[], $2::bigint[]) AS s(writer_id, seq) GROUP BY writer_id) s
          WHERE w.id = s.writer_id`,
        [leaves.map(({ batch }) => batch.writerId), leaves.map(({ batch }) => batch.seq)],
      );
      await this.client.query('COMMIT');
    } catch (error) {
      throw new StorageUnavailableError('seal batches of evidence', { cause: driverError(error) });
    }
  }

  async recordAnchor(treeSize: number, anchor: string, receipt: string | null): Promise<void> {
    await this.rows(
      `INSERT INTO ${this.tables.anchor} (tree_size, anchor, receipt) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [treeSize, anchor, receipt],
    );
  }

  async release(): Promise<void> {
    // The server notices a closed connection a little later: whoever leads next should not have to wait for that.
    await this.client.query('SELECT pg_advisory_unlock_all()').catch(() => undefined);
    await this.client.end().catch(() => undefined);
  }

  private async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      return (await this.client.query<Row>(text, [...values])).rows;
    } catch (error) {
      throw new StorageUnavailableError('read what is to be sealed', { cause: driverError(error) });
    }
  }
}
