import type { Awaitable } from './awaitable.js';
import type { Duration } from './duration.js';
import type { ToolCall } from './tool.call.js';

/** Who may decide an approval. */
export interface ApproverPolicy {
  /** Any of these roles. Absent: the run's own principal, unless `notRequester` or `quorum` says otherwise. */
  readonly roles?: readonly string[];
  /** Four eyes: never the person on whose behalf the run acts. Unknown requesters count as everybody. */
  readonly notRequester?: boolean;
  /** How many distinct people must approve. Default 1; one denial always ends it. */
  readonly quorum?: number;
}

/** The policy of `@RequireApproval`. */
export interface ApprovalPolicy<Args = unknown> {
  /** Gates by arguments; replaces the destructive default of its own tool. A throw or a time-out gates. Absent: always. */
  when?(args: Args, call: ToolCall): Awaitable<boolean>;
  readonly approvers?: ApproverPolicy;
  /** From the request to the last moment of a decision. Default: `approvals.expiresIn`, 15 minutes. */
  readonly expiresIn?: Duration;
  /** From the approval to the last moment of the start. Default: `approvals.executeWithin`, 15 minutes. */
  readonly executeWithin?: Duration;
  /** Top-level fields an approver may change. Only where one person decides. Default: none. */
  readonly editable?: readonly string[];
  /** One line for the inbox. May fail without harm. */
  summary?(args: Args): string;
  /** Shown in the inbox. */
  readonly risk?: 'low' | 'medium' | 'high';
}
