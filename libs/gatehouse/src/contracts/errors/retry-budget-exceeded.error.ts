import { brand, GatehouseError } from './gatehouse.error.js';

/** A tool asked the model again more often than its budget allows. `cause` is the last `ToolRetryError`. */
@brand('RetryBudgetExceededError')
export class RetryBudgetExceededError extends GatehouseError {
  constructor(
    readonly toolName: string,
    readonly retries: number,
    options?: ErrorOptions,
  ) {
    super(`Tool '${toolName}' exceeded max retries count of ${retries}`, options);
  }
}
