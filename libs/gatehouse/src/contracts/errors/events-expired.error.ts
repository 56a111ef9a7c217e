import { brand, GatehouseError } from './gatehouse.error.js';

/** The stored events of an ended run were deleted: `runs.keepEvents` has passed since it ended. Its record and its evidence are still there. */
@brand('EventsExpiredError')
export class EventsExpiredError extends GatehouseError {
  constructor(
    readonly runId: string,
    /** The last event that the reader has. */
    readonly after: number,
  ) {
    super(`The events of run ${runId} are no longer kept. The run has ended: read it instead.`);
  }
}
