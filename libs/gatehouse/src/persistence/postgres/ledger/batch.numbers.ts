import { Logger } from '@nestjs/common';
import type { BatchHeader } from '../../../contracts/ledger.js';
import { newId } from '../../../values/ids.js';
import { headerData } from '../../../values/ledger/batch.header.js';
import { batchRoot, type PreparedEntry } from '../../../values/ledger/batch.preparation.js';
import type { TableNames } from '../table.names.js';
import type { LedgerSession } from './ledger.session.js';

/** A header that went out. */
interface Sent {
  readonly seq: number;
  readonly data: Buffer;
}

/** What is known of a number that was found taken. */
export type Taken = 'by this batch' | 'by an earlier batch of ours' | 'by another writer';

/**
 * The dense numbers of one writer's batches: a missing one shows. A number is spent only once its batch is known to stand; until then every header
 * that was sent under it is remembered, because each may yet be found committed.
 */
export class BatchNumbers {
  writerId = newId();
  private seq = 1;
  private sent: readonly Sent[] = [];
  private readonly logger = new Logger('gatehouse.audit');

  constructor(private readonly tables: TableNames) {}

  /** The number of the last batch that stands; 0 before the first. */
  get last(): number {
    return this.seq - 1;
  }

  /** The header of these records under the next number, or one of those after it. */
  header(entries: readonly PreparedEntry[], ahead = 0): BatchHeader {
    const ids = entries.map(({ entry }) => entry.record.id);
    const [firstId = '', lastId = ''] = [ids.at(0), ids.at(-1)];
    const { writerId } = this;
    return { writerId, seq: this.seq + ahead, count: ids.length, firstId, lastId, root: batchRoot(entries) };
  }

  /** Before a header goes out. */
  send(header: BatchHeader): void {
    if (this.isSent(headerData(header))) return;
    this.sent = [...this.sent, { seq: header.seq, data: headerData(header) }];
  }

  /** So many batches stand now. */
  spend(batches = 1): void {
    this.seq += batches;
    this.sent = this.sent.filter(({ seq }) => seq >= this.seq);
  }

  /**
   * Finds out whose batch has the next number, and goes on behind it, as a new writer where it is a stranger's.
   *
   * @param mine the header that was refused
   */
  async settle(session: LedgerSession, mine?: BatchHeader): Promise<Taken> {
    const stands = await this.standing(session, this.seq);
    if (stands !== undefined && this.isSent(stands)) {
      this.spend();
      const isMine = mine !== undefined && stands.equals(headerData(mine));
      return isMine ? 'by this batch' : 'by an earlier batch of ours';
    }
    this.logger.error(
      `Batch ${this.seq} of evidence writer ${this.writerId} was written by somebody else. Its records are written again by a new writer; look for who else has these database credentials.`,
    );
    this.renew();
    return 'by another writer';
  }

  /** From now on a writer that nobody knows yet. */
  renew(): void {
    this.writerId = newId();
    this.seq = 1;
    this.sent = [];
  }

  private isSent(data: Buffer): boolean {
    return this.sent.some((one) => one.data.equals(data));
  }

  private async standing(session: LedgerSession, seq: number): Promise<Buffer | undefined> {
    const [row] = await session.rows<{ count: number; first_id: string; last_id: string; root: Buffer }>(
      `SELECT count, first_id, last_id, root FROM ${this.tables.batch} WHERE writer_id = $1 AND seq = $2`,
      [this.writerId, seq],
    );
    if (row === undefined) return undefined;
    const { count, first_id: firstId, last_id: lastId, root } = row;
    return headerData({ writerId: this.writerId, seq, count, firstId, lastId, root });
  }
}
