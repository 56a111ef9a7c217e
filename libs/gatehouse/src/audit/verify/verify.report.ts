/** How deep is looked, each with all before it: the signed heads of the log, the batches in it, the records of each batch, their payloads. */
export type VerifyLevel = 'checkpoints' | 'batches' | 'rows' | 'payloads';

/**
 * `ok`: everything that was asked for holds, and a copy outside the database pins it. `tampered`: what is stored is not what was sealed. `untrusted`: no
 * key of the caller signed it. `incomplete`: nothing was changed, but something is missing, or the tail is pinned by nothing.
 */
export type VerifyOutcome = 'ok' | 'tampered' | 'incomplete' | 'untrusted';

/** What was done to sealed evidence. */
export type FaultKind =
  | 'schema changed'
  | 'checkpoint malformed'
  | 'checkpoint signature false'
  | 'checkpoint of another log'
  | 'checkpoint by an unknown key'
  | 'checkpoint changed'
  | 'log rewritten'
  | 'log rolled back'
  | 'leaf missing'
  | 'leaf without checkpoint'
  | 'subtree changed'
  | 'batch missing'
  | 'batch out of order'
  | 'batch added'
  | 'header changed'
  | 'record missing'
  | 'record added'
  | 'record changed'
  | 'record in another month'
  | 'payload changed'
  | 'payload missing'
  | 'payload added'
  | 'payload of another organization';

/** Where; as much of it as is known. */
export interface EvidencePlace {
  readonly treeSize?: number;
  readonly logIndex?: number;
  readonly month?: string;
  readonly writerId?: string;
  readonly seq?: number;
  readonly idx?: number;
  readonly id?: string;
}

/** One place where what is stored is not what was sealed. */
export interface Fault {
  readonly kind: FaultKind;
  readonly place: EvidencePlace;
  /** Columns that look changed. `proven`: with another value in them the seal holds; `likely`: the row was written later than its batch. */
  readonly columns?: readonly string[];
  readonly certainty?: 'proven' | 'likely';
  readonly message: string;
}

/** Why evidence is not complete. */
export type ShortfallKind =
  | 'gap'
  | 'lost writer'
  | 'silent writer'
  | 'missing month'
  | 'missing batch'
  | 'unsealed batch'
  | 'waiting facts'
  | 'unpinned tail';

/** Something that is missing, without a sign that sealed evidence was changed. */
export interface Shortfall {
  readonly kind: ShortfallKind;
  readonly place: EvidencePlace;
  /** How many records or batches, where that is known. */
  readonly amount?: number;
  readonly message: string;
}

/** What became of a month. */
export interface VerifiedMonth {
  readonly month: string;
  /** `archived`: it was dropped, and a retention record says so. `archive checked`: its archive was held against the headers that stayed. */
  readonly state: 'checked' | 'archive checked' | 'archived' | 'missing' | 'not asked for';
  /** By the headers of its batches. */
  readonly records: number;
}

/** What `verify` found. */
export interface VerifyReport {
  readonly format: 'gatehouse-verify-report@v1';
  readonly outcome: VerifyOutcome;
  readonly level: VerifyLevel;
  /** The database's clock: everything was read as it was then. */
  readonly at: string;
  /**
   * Whether a checkpoint from outside the database covers the log to its end, but for what is younger than a minute. Without it the newest
   * records may have been cut off, and nobody could tell.
   */
  readonly tailPinned: boolean;
  readonly log: {
    readonly origin: string;
    readonly size: number;
    /** Base64. */
    readonly root: string;
    /** The largest size a copy outside the database vouches for; 0 without any. */
    readonly pinnedSize: number;
    /** The time of the newest sealed record; null where headers were not read. */
    readonly newest: string | null;
    /** Checked from this batch on: what is before was verified earlier. */
    readonly since: number;
  };
  readonly counts: {
    readonly checkpoints: number;
    readonly batches: number;
    readonly unsealedBatches: number;
    readonly records: number;
    readonly payloads: number;
    readonly erased: number;
    readonly faults: number;
    readonly shortfalls: number;
  };
  readonly months: readonly VerifiedMonth[];
  /** The first ones; `counts.faults` has all. */
  readonly faults: readonly Fault[];
  readonly shortfalls: readonly Shortfall[];
  /** What was not looked at, in words. */
  readonly unchecked: readonly string[];
}
