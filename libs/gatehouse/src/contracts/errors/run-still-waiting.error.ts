import type { ApprovalRequest } from '../approval.js';
import { brand } from './gatehouse.error.js';
import { RunNotResumableError } from './run-not-resumable.error.js';

/** The decisions that were given count, and somebody else must decide too: a quorum is not full yet. Nothing is to be sent again. */
@brand('RunStillWaitingError')
export class RunStillWaitingError extends RunNotResumableError {
  constructor(
    runId: string,
    /** What waits, as it stands now. */
    readonly approvals: readonly ApprovalRequest[],
  ) {
    super(runId, `your decision counts, and ${approvals.length} of its approvals still wait for somebody else.`);
  }
}
