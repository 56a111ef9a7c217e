import { brand, GatehouseError } from './gatehouse.error.js';

/** A store was asked something that cannot be asked: a limit out of range, a cursor that is none, a name that is no name. */
@brand('InvalidQueryError')
export class InvalidQueryError extends GatehouseError {
  constructor(
    readonly field: string,
    problem: string,
  ) {
    super(`${field} ${problem}.`);
  }
}
