import { Injectable } from '@nestjs/common';
import { IntegrityError } from '../../contracts/errors/integrity.error.js';
import type { LedgerEntry } from '../../contracts/ledger.js';
import { EvidenceKeeping, type StoredMonth } from '../../contracts/ports/evidence.keeping.js';
import { EvidenceWriter } from '../evidence.writer.js';
import { DURABLY_WITHIN } from './durably.within.js';
import { droppedEntry, erasedEntry, keptEntry } from './retention.entries.js';
import { periodOf, type RetentionPeriod } from './retention.periods.js';

const AT_ONCE = 100;

/** What is to go. */
export interface RetentionRequest {
  /** How long evidence is kept. Whole months go, once they are over for that long. */
  readonly keep: RetentionPeriod;
  /** Who wants it. */
  readonly by: string;
  /** Only says what would go. */
  readonly dryRun?: boolean;
  /** Less than 184 days. */
  readonly force?: boolean;
  /** Counted from here instead of the database's clock; never later than that. */
  readonly asOf?: Date;
  /** The most months of one call. Default 12: a wrong clock must not take everything at once. */
  readonly most?: number;
  /** Told of each month before it goes; what it returns (where the archive lies, its digest) is recorded. A throw keeps the month. */
  archive?(month: string): Promise<string>;
}

/** What became of one month that is old enough. */
export interface RetainedMonth {
  readonly month: string;
  readonly records: number;
  readonly outcome:
    | 'dropped'
    | 'would be dropped'
    | 'held'
    | 'unsealed'
    | 'newer records'
    | 'changed meanwhile'
    | 'over the most of one call';
  /** The holds that stand on it. */
  readonly holds?: readonly string[];
}

/** Lets whole months of evidence go. That one goes is recorded before it does; headers and checkpoints stay, so the rest verifies as before. */
@Injectable()
export class Retention {
  constructor(
    private readonly keeping: EvidenceKeeping,
    private readonly writer: EvidenceWriter,
  ) {}

  /**
   * @throws ConfigurationError for a period under 184 days that is not forced
   * @throws IntegrityError where the clock says less than the newest checkpoint
   */
  async retain(request: RetentionRequest): Promise<readonly RetainedMonth[]> {
    const period = periodOf(request.keep, request.force === true);
    const { now, lastCheckpoint } = await this.keeping.clock();
    if (lastCheckpoint !== undefined && now < lastCheckpoint) {
      throw new IntegrityError(
        'The database clock says less than its newest checkpoint: nothing is dropped by a wrong clock.',
      );
    }
    const asOf = request.asOf !== undefined && request.asOf < now ? request.asOf : now;
    const cutoff = new Date(asOf.getTime() - period);
    const done: RetainedMonth[] = [];
    let left = request.most ?? 12;
    for (const month of await this.keeping.months()) {
      if (month.until > cutoff) continue;
      const outcome = await this.letGo(month, cutoff, request, left);
      if (outcome.outcome === 'dropped' || outcome.outcome === 'would be dropped') left -= 1;
      done.push(outcome);
    }
    return done;
  }

  private async letGo(
    month: StoredMonth,
    cutoff: Date,
    request: RetentionRequest,
    left: number,
  ): Promise<RetainedMonth> {
    const about = { month: month.month, records: month.records };
    // A call that waited long has its record in the month in which it was proposed.
    if (month.newest !== undefined && month.newest >= cutoff) return { ...about, outcome: 'newer records' };
    if (month.unsealed > 0) return { ...about, outcome: 'unsealed' };
    const holds = await this.keeping.holdsOn(month.month);
    if (holds.length > 0) return { ...about, outcome: 'held', holds: holds.map(({ id }) => id) };
    if (left <= 0) return { ...about, outcome: 'over the most of one call' };
    if (request.dryRun === true) return { ...about, outcome: 'would be dropped' };
    const { month: name, records } = month;
    const archived = records === 0 ? undefined : await request.archive?.(name);
    // Archiving may take long. Nothing is recorded that is known not to happen.
    const kept = await this.keptAfterAll(name, records);
    if (kept !== undefined) return kept;
    await this.sayAgain(name);
    await this.tell(droppedEntry({ month: name, records, by: request.by, detail: archived ?? null }));
    if (await this.keeping.dropMonth(name)) return { ...about, outcome: 'dropped' };
    await this.tell(keptEntry(name, request.by));
    return (await this.keptAfterAll(name, records)) ?? { ...about, outcome: 'changed meanwhile' };
  }

  private async keptAfterAll(month: string, counted: number): Promise<RetainedMonth | undefined> {
    const holds = await this.keeping.holdsOn(month);
    const records = (await this.keeping.month(month))?.records ?? 0;
    if (holds.length > 0) return { month, records, outcome: 'held', holds: holds.map(({ id }) => id) };
    return records === counted ? undefined : { month, records, outcome: 'changed meanwhile' };
  }

  // What a month says of others goes with it: which earlier ones went, and which payloads, in months that stay or in archives, were erased.
  private async sayAgain(month: string): Promise<void> {
    for (const earlier of await this.keeping.droppedIn(month)) await this.tell(droppedEntry(earlier));
    const erasures = await this.keeping.erasedIn(month);
    for (let from = 0; from < erasures.length; from += AT_ONCE) {
      await Promise.all(erasures.slice(from, from + AT_ONCE).map((one) => this.tell(erasedEntry(one))));
    }
  }

  private tell(entry: LedgerEntry): Promise<void> {
    return this.writer.submitDurably(entry, DURABLY_WITHIN);
  }
}
