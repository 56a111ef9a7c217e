/**
 * What can happen to an approval. `decided`: it waits no more, also because it expired or its run ended. `withdrawn`: it was approved, and may not start
 * any more. `claimed`: its one start. `settled`: the call came to an end. `lost`: it is not known what became of the call; `resolved`: a person said
 * what. `refused`: somebody who may not decide it tried to. `changed`: anything else; Gatehouse does nothing else.
 */
export type ApprovalEventKind =
  'requested' | 'voted' | 'decided' | 'withdrawn' | 'claimed' | 'settled' | 'lost' | 'resolved' | 'refused' | 'changed';

/** One thing that happened to an approval: appended in the transaction that made it true. */
export interface ApprovalEvent {
  readonly id: string;
  readonly approvalId: string;
  readonly runId: string;
  readonly organizationId: string | null;
  readonly toolName: string;
  readonly kind: ApprovalEventKind;
  /** The approval's status from then on; of a vote its word, of a resolution its outcome. */
  readonly status: string | null;
  /** Whose doing it was, where a person did it. */
  readonly principalId: string | null;
  readonly detail: string | null;
  readonly at: Date;
}

/** Somebody tried to decide an approval that is not theirs to decide. */
export interface RefusedDecision {
  readonly approvalId: string;
  /** Absent: nobody was signed in. */
  readonly principalId?: string;
  readonly why: string;
}
