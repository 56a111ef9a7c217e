import type { ApprovalRequest } from '../approval.js';

/** What people are asked, as it was stored: everything their word rests on. */
export interface RequestFacts extends Pick<
  ApprovalRequest,
  'id' | 'runId' | 'operationId' | 'toolName' | 'args' | 'approvers' | 'editable' | 'requestedBy' | 'organizationId'
> {
  readonly toolFingerprint: string;
  /** Of the arguments as they were proposed, whatever an approver made of them. */
  readonly argumentsDigest: string;
}

/** One person's yes. */
export interface VoteFacts {
  readonly approvalId: string;
  readonly principalId: string;
  /** Of the arguments as they were proposed. */
  readonly argumentsDigest: string;
}

/** What was approved, by whom, and until when it may start. */
export interface DecisionFacts {
  readonly approvalId: string;
  readonly runId: string;
  readonly operationId: string;
  readonly toolName: string;
  /** Of the arguments that will run: the edited ones where somebody edited. */
  readonly argumentsDigest: string;
  readonly decidedBy: readonly string[];
  readonly decidedAt: Date;
  readonly executeBefore: Date;
}

/**
 * Signs what a store keeps, and knows its own signatures again: who can write rows can still not approve. A store that others can write to calls it
 * inside its transactions, with what it stores.
 */
export interface ApprovalSealing {
  request(facts: RequestFacts): string | undefined;
  vote(facts: VoteFacts): string | undefined;
  decision(facts: DecisionFacts): string | undefined;
  isRequest(facts: RequestFacts, seal: string | null): boolean;
  isVote(facts: VoteFacts, seal: string | null): boolean;
  isDecision(facts: DecisionFacts, seal: string | null): boolean;
}

/** Nothing is signed, everything is believed: without a secret. */
export const UNSEALED: ApprovalSealing = Object.freeze({
  request: () => undefined,
  vote: () => undefined,
  decision: () => undefined,
  isRequest: () => true,
  isVote: () => true,
  isDecision: () => true,
});
