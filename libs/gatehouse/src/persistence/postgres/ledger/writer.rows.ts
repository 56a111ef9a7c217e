import type { WaitingFacts, WritingProcess } from '../../../contracts/ports/evidence.log.js';
import type { TableNames } from '../table.names.js';
import type { LedgerSession } from './ledger.session.js';

/** A writer with the number of its last batch. */
export interface WriterState {
  readonly writerId: string;
  readonly lastSeq: number;
}

/** Who writes the log: one row for each writer, with its last sign of life. Working state: what counts is in the log. */
export class WriterRows {
  constructor(private readonly tables: TableNames) {}

  async open(session: LedgerSession, writerId: string, { host, pid, version }: WritingProcess): Promise<void> {
    await session.rows(
      `INSERT INTO ${this.tables.writer} (id, host, pid, version, opened_at, seen_at, state)
        VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp(), 'open') ON CONFLICT DO NOTHING`,
      [writerId, host, pid, version],
    );
  }

  /** The ids of those that are still known as open. */
  async beat(session: LedgerSession, writers: readonly WriterState[]): Promise<readonly string[]> {
    const rows = await session.rows<{ id: string }>(
      `UPDATE ${this.tables.writer} w SET seen_at = clock_timestamp(), last_seq = m.last_seq
        FROM unnest($1::uuid[], $2::bigint[]) AS m(id, last_seq) WHERE w.id = m.id AND w.state = 'open' RETURNING w.id`,
      [writers.map(({ writerId }) => writerId), writers.map(({ lastSeq }) => lastSeq)],
    );
    return rows.map(({ id }) => id);
  }

  async close(session: LedgerSession, { writerId, lastSeq }: WriterState): Promise<void> {
    await session.rows(
      `UPDATE ${this.tables.writer} SET seen_at = clock_timestamp(), last_seq = $2, state = 'closed' WHERE id = $1 AND state = 'open'`,
      [writerId, lastSeq],
    );
  }

  /** One statement: a writer is marked together with the fact that tells of it, by whoever comes first. */
  async markLost(session: LedgerSession, silentMs: number): Promise<readonly string[]> {
    const { writer, batch, outbox } = this.tables;
    const schema = writer.split('.')[0];
    const rows = await session.rows<{ id: string }>(
      `WITH silent AS (
        SELECT id FROM ${writer} WHERE state = 'open' AND seen_at < clock_timestamp() - $1 * interval '1 millisecond'
          ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED
      ), lost AS (
        UPDATE ${writer} w SET state = 'lost', last_seq = (SELECT coalesce(max(seq), 0) FROM ${batch} b WHERE b.writer_id = w.id)
          FROM silent WHERE w.id = silent.id RETURNING w.id, w.last_seq
      ), told AS (
        INSERT INTO ${outbox} (id, kind, at, status, amount, reference)
          SELECT ${schema}.uuid_v7(), 'writer', clock_timestamp(), 'lost', last_seq, id::text FROM lost
      ) SELECT id FROM lost`,
      [silentMs],
    );
    return rows.map(({ id }) => id);
  }

  async waitingFacts(session: LedgerSession): Promise<WaitingFacts> {
    const [row] = await session.rows<{ waiting: number; oldest: number }>(
      `SELECT count(*)::integer AS waiting, coalesce(extract(epoch FROM clock_timestamp() - min(at)) * 1000, 0)::double precision AS oldest
        FROM (SELECT at FROM ${this.tables.outbox} ORDER BY ordinal LIMIT 10000) o`,
    );
    return { waiting: row?.waiting ?? 0, oldestMs: Math.max(0, Math.round(row?.oldest ?? 0)) };
  }
}
