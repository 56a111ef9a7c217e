import type { ApprovalRequest } from '../approval.js';
import type { DeferredCall } from '../deferred.call.js';
import { brand } from './gatehouse.error.js';
import { RunNotResumableError } from './run-not-resumable.error.js';

/** What was given counts, and something else is waited for too: another decision, a result from outside. Nothing is to be sent again. */
@brand('RunStillWaitingError')
export class RunStillWaitingError extends RunNotResumableError {
  constructor(
    runId: string,
    /** What waits, as it stands now. */
    readonly approvals: readonly ApprovalRequest[],
    readonly deferred: readonly DeferredCall[] = [],
  ) {
    const waits = [
      ...(approvals.length === 0 ? [] : [`${approvals.length} of its approvals`]),
      ...(deferred.length === 0 ? [] : [`${deferred.length} of its deferred calls`]),
    ];
    super(runId, `your answer counts, and ${waits.join(' and ')} still wait for somebody else.`);
  }
}
