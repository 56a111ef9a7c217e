import type { ApprovalRequest } from './approval.js';
import type { Awaitable } from './awaitable.js';

/** News of an approval. */
export interface ApprovalNotice {
  /** Of the stored event: the same one is the same news, however often it comes. */
  readonly id: string;
  readonly kind: 'approval.requested' | 'approval.decided';
  /** When it happened. */
  readonly at: Date;
  /** As it stands now, as the inbox shows it: redacted. */
  readonly approval: ApprovalRequest;
}

/**
 * Tells people, somewhere else, what waits for them and what was decided. Mark with `@ApprovalNotifier()`. Told from what is stored, at least once, on
 * one replica at a time, also after a restart; a throw costs a later attempt, never the run.
 */
export interface ApprovalListener {
  /** What its deliveries are kept under. Default: the name of its class. One with a new name is told only what happens from then on. */
  readonly name?: string;
  approvalRequested?(notice: ApprovalNotice): Awaitable<void>;
  /** Also where nobody decided: it expired, or its run ended. */
  approvalDecided?(notice: ApprovalNotice): Awaitable<void>;
}
