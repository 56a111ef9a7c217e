/**
 * What must not go while it stands, whatever retention and erasure say. Without an organization, run and principal it holds everything; `from` and
 * `until` narrow it to what happened between.
 */
export interface NewLegalHold {
  readonly organizationId?: string;
  readonly runId?: string;
  readonly principalId?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly until?: Date;
  readonly reason: string;
  /** Who places it. */
  readonly by: string;
}

/** A hold as it is kept. */
export interface LegalHold extends Omit<NewLegalHold, 'by'> {
  readonly id: string;
  readonly placedBy: string;
  readonly placedAt: Date;
  readonly releasedBy?: string;
  readonly releasedAt?: Date;
}
