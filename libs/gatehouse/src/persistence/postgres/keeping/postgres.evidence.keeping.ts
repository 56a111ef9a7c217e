import type { LegalHold, NewLegalHold } from '../../../contracts/legal.hold.js';
import {
  EvidenceKeeping,
  type DroppedMonth,
  type ErasureCount,
  type ErasureSubject,
  type RecordedErasure,
  type StoredMonth,
} from '../../../contracts/ports/evidence.keeping.js';
import { StorageUnavailableError } from '../../../contracts/errors/storage-unavailable.error.js';
import { isUuid } from '../../../values/ids.js';
import type { Database } from '../database.js';
import { errorCode } from '../driver.errors.js';
import { clearWorkingState, countErasable, deletePayloads, runsToCover } from './erasure.js';
import { holdsOnMonth, holdsOnSubject, placeHold, readHolds, releaseHold } from './legal.holds.js';
import { readDropped, readErased, readMonth, readMonths } from './stored.months.js';

const RESTRICT_VIOLATION = '23001';

/** Months, holds and erasures in Postgres. */
export class PostgresEvidenceKeeping extends EvidenceKeeping {
  constructor(private readonly database: Database) {
    super();
  }

  override ensureMonths(ahead: number): Promise<void> {
    return this.database.statement('make months of evidence', (sql) =>
      sql.run(
        `SELECT "${this.database.schema}".ensure_month(clock_timestamp() + month * interval '1 month') FROM generate_series(0, $1::integer) AS month`,
        [ahead],
      ),
    );
  }

  override months(): Promise<readonly StoredMonth[]> {
    return this.database.statement('read the months of evidence', (sql) => readMonths(sql, this.database.schema));
  }

  override month(month: string): Promise<StoredMonth | undefined> {
    return this.database.statement('read a month of evidence', (sql) => readMonth(sql, this.database.schema, month));
  }

  override clock(): Promise<{ readonly now: Date; readonly lastCheckpoint: Date | undefined }> {
    return this.database.statement('read the clock', async (sql) => {
      const row = await sql.row<{ now: Date; last: Date | null }>(
        `SELECT clock_timestamp() AS now, (SELECT max(created_at) FROM ${sql.tables.checkpoint}) AS last`,
      );
      return { now: row?.now ?? new Date(0), lastCheckpoint: row?.last ?? undefined };
    });
  }

  override droppedIn(month: string): Promise<readonly DroppedMonth[]> {
    return this.database.statement('read which months went', (sql) => readDropped(sql, month));
  }

  override erasedIn(month: string): Promise<readonly RecordedErasure[]> {
    return this.database.statement('read whose traces went', (sql) => readErased(sql, month));
  }

  override async dropMonth(month: string): Promise<boolean> {
    try {
      await this.database.transaction('let a month of evidence go', async (sql) => {
        // Whoever reads or writes the log meanwhile is not to be held up behind us.
        await sql.run(`SET LOCAL lock_timeout = '2s'`);
        await sql.run(`SELECT "${this.database.schema}".drop_month($1)`, [month]);
      });
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailableError && errorCode(error.cause) === RESTRICT_VIOLATION) return false;
      throw error;
    }
  }

  override holdsOn(month: string): Promise<readonly LegalHold[]> {
    return this.database.statement('read legal holds', (sql) => holdsOnMonth(sql, month));
  }

  override placeHold(hold: NewLegalHold): Promise<LegalHold> {
    return this.database.statement('place a legal hold', (sql) => placeHold(sql, hold));
  }

  override async releaseHold(id: string, by: string): Promise<LegalHold | undefined> {
    if (!isUuid(id)) return undefined;
    return this.database.statement('release a legal hold', (sql) => releaseHold(sql, id, by));
  }

  override holds(): Promise<readonly LegalHold[]> {
    return this.database.statement('read legal holds', readHolds);
  }

  override holdsOnSubject(subject: ErasureSubject): Promise<readonly LegalHold[]> {
    return this.database.statement('read legal holds', (sql) => holdsOnSubject(sql, subject));
  }

  override countErasable(subject: ErasureSubject): Promise<ErasureCount> {
    return this.database.statement('count what is to be erased', (sql) => countErasable(sql, subject));
  }

  override runsToCover(subject: ErasureSubject): Promise<readonly string[]> {
    return this.database.statement('read whose runs are to be erased', (sql) => runsToCover(sql, subject));
  }

  override async erase(subject: ErasureSubject, recordedAt: Date): Promise<ErasureCount> {
    let payloads = 0;
    for (let gone = -1; gone !== 0; payloads += gone) {
      gone = await this.database.statement('erase payloads', (sql) => deletePayloads(sql, subject, recordedAt));
    }
    const runs = await this.database.transaction('erase working state', (sql) => clearWorkingState(sql, subject));
    const { activeRuns } = await this.countErasable(subject);
    return { payloads, runs, activeRuns };
  }
}
