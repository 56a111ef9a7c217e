import type { LegalHold, NewLegalHold } from '../legal.hold.js';

/** A month of the log, as it lies in the database. */
export interface StoredMonth {
  /** `202611`. */
  readonly month: string;
  /** When it is over: every id in it was made before. */
  readonly until: Date;
  readonly records: number;
  /** When the newest thing in it happened; nothing in an empty month. */
  readonly newest: Date | undefined;
  /** Batches in it that are not in the global log yet. */
  readonly unsealed: number;
}

/** Whose or which traces an erasure is about. */
export type ErasureSubject = { readonly principalId: string } | { readonly runId: string };

/** What an erasure would take, or took. */
export interface ErasureCount {
  readonly payloads: number;
  /** Ended runs whose working state is cleared: messages, steps, events, arguments. */
  readonly runs: number;
  /** Runs that are not over: nothing of them is erased before they are. */
  readonly activeRuns: number;
}

/** That a month went, as it was recorded. */
export interface DroppedMonth {
  readonly month: string;
  readonly records: number | null;
  readonly by: string | null;
  readonly detail: string | null;
}

/** That payloads were erased, as it was recorded. */
export interface RecordedErasure {
  readonly at: Date;
  readonly principalId: string | null;
  readonly runId: string | null;
  readonly amount: number | null;
  /** Who wanted it. */
  readonly by: string | null;
  readonly reason: string | null;
}

/** What the keeping of evidence needs of a store: months, holds and erasures. */
export abstract class EvidenceKeeping {
  /** Makes the months from now on, so that none is missing when it begins. */
  abstract ensureMonths(ahead: number): Promise<void>;
  abstract months(): Promise<readonly StoredMonth[]>;
  /** One of them, as it is now; nothing where it is not there. */
  abstract month(month: string): Promise<StoredMonth | undefined>;
  /** The database's clock, and when it was when it signed last: a clock that went back must not drop anything. */
  abstract clock(): Promise<{ readonly now: Date; readonly lastCheckpoint: Date | undefined }>;
  /** Records in this month that say of others that they went. */
  abstract droppedIn(month: string): Promise<readonly DroppedMonth[]>;
  /** The newest erasure of each subject that records in this month tell of. */
  abstract erasedIn(month: string): Promise<readonly RecordedErasure[]>;
  /** Lets a month go whose going was recorded; false where the store refuses: a hold stands on it, or it has other records than was recorded. */
  abstract dropMonth(month: string): Promise<boolean>;
  /** Holds that stand and have something to hold in this month. */
  abstract holdsOn(month: string): Promise<readonly LegalHold[]>;
  abstract placeHold(hold: NewLegalHold): Promise<LegalHold>;
  /** Nothing for an unknown or released one. */
  abstract releaseHold(id: string, by: string): Promise<LegalHold | undefined>;
  abstract holds(): Promise<readonly LegalHold[]>;
  abstract holdsOnSubject(subject: ErasureSubject): Promise<readonly LegalHold[]>;
  abstract countErasable(subject: ErasureSubject): Promise<ErasureCount>;
  /** Runs of the subject with payloads that no record about the subject itself covers. */
  abstract runsToCover(subject: ErasureSubject): Promise<readonly string[]>;
  /** Deletes payloads of what happened until the erasure was recorded, and clears the working state of ended runs. */
  abstract erase(subject: ErasureSubject, recordedAt: Date): Promise<ErasureCount>;
}
