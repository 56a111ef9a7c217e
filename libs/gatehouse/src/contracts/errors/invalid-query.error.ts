import { brand, GatehouseError } from './gatehouse.error.js';

/** Something was asked that cannot be asked: a limit out of range, a cursor that is none, a name that is no name, a state that is no JSON. */
@brand('InvalidQueryError')
export class InvalidQueryError extends GatehouseError {
  constructor(
    readonly field: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${field} ${problem}.`, options);
  }
}
