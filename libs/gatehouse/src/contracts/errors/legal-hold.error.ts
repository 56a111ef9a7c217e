import { brand, GatehouseError } from './gatehouse.error.js';

/** Something must not go: a legal hold stands on it. */
@brand('LegalHoldError')
export class LegalHoldError extends GatehouseError {
  constructor(
    what: string,
    readonly holds: readonly string[],
  ) {
    super(
      `${what} is under ${holds.length === 1 ? 'a legal hold' : `${holds.length} legal holds`} (${holds.join(', ')}): release it first.`,
    );
  }
}
