import { brand, GatehouseError } from './gatehouse.error.js';

/** The run has handed on no such call. Name one of `outcome.deferred`, by its operation id or its tool call id. */
@brand('DeferredCallNotFoundError')
export class DeferredCallNotFoundError extends GatehouseError {
  constructor(
    readonly runId: string,
    readonly callId: string,
  ) {
    super(`Run ${runId} has no deferred call ${callId.slice(0, 64)}.`);
  }
}
