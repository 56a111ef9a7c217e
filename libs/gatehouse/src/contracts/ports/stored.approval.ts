import type { ApprovalRequest } from '../approval.js';
import type { StoredResult } from './stored.step.js';

/** What is stored when a call starts to wait. Times are spans: the database's clock makes instants of them. */
export interface NewApproval {
  readonly id: string;
  readonly runId: string;
  readonly threadId: string;
  readonly operationId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolFingerprint: string;
  /** Exact canonical JSON: what was received, what validation made of it. */
  readonly received: string;
  readonly validated: string;
  readonly argumentsDigest: string;
  /** What the inbox shows: redacted. */
  readonly shown: ApprovalRequest['args'];
  readonly hidden: readonly string[];
  readonly summary?: string;
  readonly risk?: string;
  readonly organizationId?: string;
  readonly requestedBy?: string;
  readonly approvers: ApprovalRequest['approvers'];
  readonly editable: readonly string[];
  readonly expiresInMs: number;
  readonly executeWithinMs: number;
  /** The method was executed before the call came to wait. */
  readonly executed?: true;
}

/** An approval with its working state. */
export interface StoredApproval extends ApprovalRequest {
  readonly toolFingerprint: string;
  readonly received: string;
  readonly validated: string;
  readonly executed?: true;
  readonly executeBefore?: Date;
  /** The operation that claimed it. */
  readonly claimToken?: string;
  /** What the claimed operation came to. */
  readonly result?: StoredResult;
  /** What was signed when it was asked, and the digest of the arguments as they were proposed. */
  readonly requestSeal: string | null;
  readonly proposedDigest: string;
  /** The run's digest key: edited arguments are bound with it. */
  readonly digestKey: string;
}

/** Edited arguments, validated and bound. */
export interface EditedArguments {
  readonly received: string;
  readonly validated: string;
  readonly argumentsDigest: string;
  readonly shown: ApprovalRequest['args'];
  readonly hidden: readonly string[];
}

/** One person's word on one approval. Who may speak was checked before. */
export interface NewVote {
  readonly approvalId: string;
  readonly principalId: string;
  readonly approved: boolean;
  readonly reason?: string;
  readonly note?: string;
  /** Must equal the stored digest, when given. */
  readonly argumentsDigest?: string;
  readonly edited?: EditedArguments;
}

/** `recorded`: counted now. `repeated`: the same word again. Anything else: not counted. */
export type VoteVerdict = 'recorded' | 'repeated' | 'conflict' | 'expired' | 'digest' | 'unknown';

export interface VoteResult {
  readonly verdict: VoteVerdict;
  readonly approval?: StoredApproval;
}

/** What all votes of one transaction came to. Not `accepted`: none of them was counted. */
export interface VotesResult {
  readonly accepted: boolean;
  readonly votes: readonly VoteResult[];
  /** Runs that wait for nobody any more. */
  readonly ready: readonly string[];
}
