import { brand, GatehouseError } from './gatehouse.error.js';
import type { ApprovalStatus } from '../statuses.js';

/** The approval was decided otherwise, or its arguments are not the ones that were shown. Read it again. */
@brand('ApprovalConflictError')
export class ApprovalConflictError extends GatehouseError {
  constructor(
    readonly approvalId: string,
    readonly status: ApprovalStatus,
    why = `it is already ${status}`,
  ) {
    super(`Approval ${approvalId} was not decided by this answer: ${why}.`);
  }
}
