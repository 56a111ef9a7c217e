import type { VerifyLevel } from './verify.report.js';
import type { VerifiedState } from './verified.state.js';

/** A checkpoint that was kept outside the database. */
export interface AnchoredNote {
  /** What to call it in the report. */
  readonly name: string;
  /** The signed note. */
  readonly note: string;
}

/** How far a verification has come. */
export interface VerifyProgress {
  readonly what: 'batches of the log' | 'records' | 'payloads';
  readonly done: number;
  /** 0 where it is not known. */
  readonly total: number;
}

/** What to verify, and whom to believe. */
export interface VerifyOptions {
  /**
   * The verifier keys (`name+id+key`) that are trusted. Take them from where the database's administrators cannot write. Default in an application: its
   * own `audit.seal` keys.
   */
  readonly keys?: readonly string[];
  /** The log's name. Default: that of the first key. */
  readonly origin?: string;
  /** Default `payloads`, which is everything. */
  readonly level?: VerifyLevel;
  /** Records and payloads only of the months from this instant on; the log itself is always checked to its end. */
  readonly from?: Date;
  /** And before this one. */
  readonly until?: Date;
  /** Copies of checkpoints. Default in an application: what its anchors can be asked for. */
  readonly anchors?: readonly AnchoredNote[];
  /** Lines of archives of months that were dropped (`gatehouse retain --archive`): held against the headers that stayed. */
  readonly archives?: readonly AsyncIterable<string>[];
  /** Where an earlier verification ended, kept outside the database: what it verified is not looked at again. */
  readonly since?: VerifiedState;
  /** Whether `ok` may be said without an anchor. Default false. */
  readonly allowUnpinned?: boolean;
  /** Told now and then. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}
