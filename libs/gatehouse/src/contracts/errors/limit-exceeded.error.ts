import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** A run used up one of its limits. */
@brand('LimitExceededError')
export class LimitExceededError extends ControlError {
  constructor(
    readonly limit: string,
    readonly allowed: number,
    options?: ErrorOptions,
  ) {
    super(`The run reached its limit of ${allowed} (limits.${limit}).`, options);
  }
}
