import { brand, GatehouseError } from './gatehouse.error.js';

/** The principal may see this approval but not decide it. The attempt is recorded. */
@brand('ApprovalForbiddenError')
export class ApprovalForbiddenError extends GatehouseError {
  constructor(
    readonly approvalId: string,
    readonly why: string,
  ) {
    super(`Approval ${approvalId} may not be decided by you: ${why}.`);
  }
}
