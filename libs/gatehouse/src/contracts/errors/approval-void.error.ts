import { brand, GatehouseError } from './gatehouse.error.js';

/** An approval does not cover what arrived at the method: nothing was started. */
@brand('ApprovalVoidError')
export class ApprovalVoidError extends GatehouseError {
  constructor(
    readonly operationId: string,
    readonly why: string,
    options?: ErrorOptions,
  ) {
    super(`The approval of operation ${operationId} is void: ${why}. Nothing was started.`, options);
  }
}
