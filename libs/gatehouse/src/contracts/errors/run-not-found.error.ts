import { brand, GatehouseError } from './gatehouse.error.js';

/** No such run, or none that this principal may see. */
@brand('RunNotFoundError')
export class RunNotFoundError extends GatehouseError {
  constructor(readonly runId: string) {
    super(`There is no run ${runId.slice(0, 64)}.`);
  }
}
