import { brand, GatehouseError } from './gatehouse.error.js';

/** No such approval, or none that this principal may see. */
@brand('ApprovalNotFoundError')
export class ApprovalNotFoundError extends GatehouseError {
  constructor(readonly approvalId: string) {
    super(`There is no approval ${approvalId.slice(0, 64)}.`);
  }
}
