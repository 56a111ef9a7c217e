import { brand, GatehouseError } from './gatehouse.error.js';

/** A queued run that no process began in time. */
@brand('RunOverdueError')
export class RunOverdueError extends GatehouseError {
  constructor(
    readonly runId: string,
    /** Milliseconds. */
    readonly startWithin: number,
  ) {
    super(
      `No process began run ${runId} within ${startWithin} ms of being queued. Is a worker running, on this database and this queue? ` +
        'Start one, or allow more time with runs.startWithin.',
    );
  }
}
