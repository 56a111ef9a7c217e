import type { LedgerEntry } from '../../../contracts/ledger.js';
import type { Appended, RefusedEntry } from '../../../contracts/ports/evidence.log.js';
import { byMonth, instantOf, prepareEntry, type PreparedEntry } from '../../../values/ledger/batch.preparation.js';
import { UnstorableValue } from '../../../values/ledger/leaf.values.js';
import type { TableNames } from '../table.names.js';
import { batchInsert } from './batch.insert.js';
import { BatchNumbers } from './batch.numbers.js';
import { sortOut } from './known.records.js';
import { isBatchTaken, isMissingMonth, isRecordThere, isRefusal, refusalOf } from './ledger.errors.js';
import { isUnavailable, type LedgerPool } from './ledger.pool.js';
import type { LedgerSession } from './ledger.session.js';

/** Called before a writer's first batch; returns the record that opens it. */
export type Announce = (session: LedgerSession, writerId: string) => Promise<LedgerEntry | undefined>;

type Outcome = { readonly refused: RefusedEntry[]; readonly conflicts: LedgerEntry[] };

/**
 * One writer of the log. One batch at a time; the next one takes a number only once it is known that this one stands. What could not be
 * written for want of a database is kept as it was prepared, so that the same records again are the same bytes.
 */
export class LedgerLane {
  readonly numbers: BatchNumbers;
  private line: Promise<unknown> = Promise.resolve();
  private kept: readonly PreparedEntry[] = [];
  private announced: string | undefined;

  constructor(
    private readonly pool: LedgerPool,
    readonly tables: TableNames,
    private readonly schema: string,
    private readonly announce: Announce,
  ) {
    this.numbers = new BatchNumbers(tables);
  }

  /** Whether this writer has said that it writes. */
  get isOpen(): boolean {
    return this.announced === this.numbers.writerId;
  }

  /** Seals these records. Rejects where the database cannot take any now. */
  append(entries: readonly LedgerEntry[]): Promise<Appended> {
    return this.inLine(async () => {
      const outcome: Outcome = { refused: [], conflicts: [] };
      const prepared = this.prepared(entries, outcome);
      try {
        await this.pool.session(async (session) => {
          await this.open(session);
          for (const month of byMonth(prepared)) await this.write(session, month, outcome);
        });
        this.kept = [];
        return outcome;
      } catch (error) {
        this.kept = prepared;
        throw error;
      }
    });
  }

  /** One piece of work at a time, each on a connection. */
  exclusively<T>(work: (session: LedgerSession) => Promise<T>): Promise<T> {
    return this.inLine(() => this.pool.session(work));
  }

  /** Writes one batch of one month, as a whole or not at all. */
  async insert(session: LedgerSession, entries: readonly PreparedEntry[], ahead = 0): Promise<void> {
    const header = this.numbers.header(entries, ahead);
    this.numbers.send(header);
    await session.run(batchInsert(this.tables, header, entries));
  }

  async ensureMonth(session: LedgerSession, id: string): Promise<void> {
    await session.rows(`SELECT "${this.schema}".ensure_month($1)`, [instantOf(id)]);
  }

  private inLine<T>(work: () => Promise<T>): Promise<T> {
    const done = this.line.then(work, work);
    this.line = done.catch(() => undefined);
    return done;
  }

  /** Says that this writer writes, if nobody knows yet. */
  async open(session: LedgerSession): Promise<void> {
    while (!this.isOpen) {
      const { writerId } = this.numbers;
      const entry = await this.announce(session, writerId);
      this.announced = writerId;
      if (entry !== undefined) await this.write(session, [prepareEntry(entry)], { refused: [], conflicts: [] });
    }
  }

  private prepared(entries: readonly LedgerEntry[], outcome: Outcome): readonly PreparedEntry[] {
    const before = new Map(this.kept.map((one) => [one.entry, one]));
    return entries.flatMap((entry) => {
      const known = before.get(entry);
      if (known !== undefined) return [known];
      try {
        return [prepareEntry(entry)];
      } catch (error) {
        const reason = error instanceof UnstorableValue ? error.message : 'The record cannot be encoded.';
        outcome.refused.push({ entry, reason });
        return [];
      }
    });
  }

  private async write(session: LedgerSession, month: readonly PreparedEntry[], outcome: Outcome): Promise<void> {
    if (month.length === 0) return;
    try {
      await this.insert(session, month);
      this.numbers.spend();
    } catch (error) {
      await this.afterRefusal(session, error, month, outcome);
    }
  }

  private async afterRefusal(
    session: LedgerSession,
    error: unknown,
    month: readonly PreparedEntry[],
    outcome: Outcome,
  ): Promise<void> {
    if (isBatchTaken(error)) {
      // An attempt whose answer was lost had been committed.
      const taken = await this.numbers.settle(session, this.numbers.header(month));
      if (taken === 'by this batch') return;
      await this.open(session);
      return this.write(session, month, outcome);
    }
    if (isRecordThere(error)) {
      const { fresh, conflicts } = await sortOut(session, this.tables, month);
      outcome.conflicts.push(...conflicts);
      if (fresh.length < month.length) return this.write(session, fresh, outcome);
    }
    if (isMissingMonth(error) && (await this.madeMonth(session, month))) return this.write(session, month, outcome);
    await this.halve(session, error, month, outcome);
  }

  // Once for a batch: a month that is there and still takes nothing is no month.
  private async madeMonth(session: LedgerSession, [first]: readonly PreparedEntry[]): Promise<boolean> {
    const id = first?.entry.record.id ?? '';
    try {
      await this.ensureMonth(session, id);
      return true;
    } catch (error) {
      if (isUnavailable(error) || !isRefusal(error)) throw error;
      return false;
    }
  }

  private async halve(
    session: LedgerSession,
    error: unknown,
    month: readonly PreparedEntry[],
    outcome: Outcome,
  ): Promise<void> {
    if (!isRefusal(error)) throw error;
    const [only] = month;
    if (month.length === 1 && only !== undefined) {
      outcome.refused.push({ entry: only.entry, reason: refusalOf(error) });
      return;
    }
    const middle = month.length >> 1;
    await this.write(session, month.slice(0, middle), outcome);
    await this.write(session, month.slice(middle), outcome);
  }
}
