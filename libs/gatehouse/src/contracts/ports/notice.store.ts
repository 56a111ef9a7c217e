import type { ApprovalEvent } from '../approval.event.js';

/** One event that one notifier is to be told now. */
export interface DueNotice {
  readonly notifier: string;
  readonly event: ApprovalEvent;
  /** This one included. */
  readonly attempts: number;
}

/** What notifiers were told of approvals. Every process may ask for what is due: each notice goes to one of them. */
export abstract class NoticeStore {
  /** From now on, for a name that is new, there are notices for it. */
  abstract register(notifiers: readonly string[]): Promise<void>;
  /** Takes notices that are due for `holdMs`: after that they are due again, as whoever took them may be gone. */
  abstract take(notifiers: readonly string[], limit: number, holdMs: number): Promise<readonly DueNotice[]>;
  abstract delivered(notice: DueNotice): Promise<void>;
  /** Due again after `retryInMs`; without it, given up. */
  abstract failed(notice: DueNotice, error: string, retryInMs: number | undefined): Promise<void>;
}
