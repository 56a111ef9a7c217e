import { brand, GatehouseError } from './gatehouse.error.js';

/** A run cannot go on here: it is unknown, not suspended, still waits for somebody, or lives in another process. */
@brand('RunNotResumableError')
export class RunNotResumableError extends GatehouseError {
  constructor(
    readonly runId: string,
    readonly why: string,
  ) {
    super(`Run ${runId} cannot be resumed: ${why}`);
  }
}
