import { brand, GatehouseError } from './gatehouse.error.js';

/** The deferred call has another result already, and the first one stands; or its run ended without one. */
@brand('ExternalResultConflictError')
export class ExternalResultConflictError extends GatehouseError {
  constructor(
    readonly operationId: string,
    readonly why = 'it has another result already, and the first one stands',
  ) {
    super(`The result of deferred call ${operationId} was not taken: ${why}.`);
  }
}
