import { brand, GatehouseError } from './gatehouse.error.js';

/** Arguments that a tool's schema, or the rules for all arguments, refuse. Problems name places, never values. */
@brand('InvalidArgumentsError')
export class InvalidArgumentsError extends GatehouseError {
  constructor(
    readonly toolName: string,
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`Invalid arguments for '${toolName}': ${problems.join('; ')}`, options);
  }
}
