import type { ApproverPolicy } from './approval.policy.js';
import type { JsonObject, JsonValue } from './json.js';
import type { Principal } from './principal.js';
import type { ApprovalStatus } from './statuses.js';

/** One person's word. */
export interface ApprovalVote {
  readonly principalId: string;
  readonly approved: boolean;
  readonly reason?: string;
  readonly note?: string;
  readonly at: Date;
}

/** An approval as the inbox shows it. Arguments are redacted; what is hidden is named. */
export interface ApprovalRequest {
  readonly id: string;
  readonly runId: string;
  readonly threadId: string;
  readonly operationId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: JsonValue;
  readonly argumentsDigest: string;
  /** JSON pointers of values that are not shown. */
  readonly hidden: readonly string[];
  readonly summary?: string;
  readonly risk?: string;
  readonly status: ApprovalStatus;
  readonly organizationId?: string;
  readonly requestedAt: Date;
  readonly requestedBy?: string;
  readonly expiresAt: Date;
  readonly decidedAt?: Date;
  readonly decidedBy: readonly string[];
  readonly reason?: string;
  readonly note?: string;
  readonly editedArgs?: JsonValue;
  readonly approvers: ApproverPolicy;
  readonly editable: readonly string[];
  readonly votes: readonly ApprovalVote[];
}

/** What a person answers. */
export interface ApprovalAnswer {
  readonly approved: boolean;
  readonly by: Principal;
  /** The digest that was shown. Routes require it; `resume[]` names the approval, whose arguments never change. */
  readonly argumentsDigest?: string;
  /** Shown to the model on a denial. */
  readonly reason?: string;
  /** Handed to the tool as `call.approval.note`. */
  readonly note?: string;
  /** Replaces the arguments as a whole; only `editable` fields may differ. */
  readonly editedArgs?: JsonObject;
}

/** The same answer, from a run's `resume`. */
export interface Decision extends Omit<ApprovalAnswer, 'by'> {
  readonly approvalId: string;
}
