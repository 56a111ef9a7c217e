import type { OperationRejection } from '../operation.js';
import { brand, GatehouseError } from './gatehouse.error.js';

/** A direct call was refused by an inspector. Catch it and choose another operation. */
@brand('OperationRejectedError')
export class OperationRejectedError extends GatehouseError {
  constructor(readonly rejection: OperationRejection) {
    super(`'${rejection.request.toolName}' was rejected: ${rejection.reason}`);
  }
}
