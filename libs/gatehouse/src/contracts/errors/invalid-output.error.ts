import { brand, GatehouseError } from './gatehouse.error.js';

/** A result is not what the run's `output` asks for. Problems name places, never values. */
@brand('InvalidOutputError')
export class InvalidOutputError extends GatehouseError {
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`The result is not what the run's output asks for: ${problems.join('; ')}`, options);
  }
}
