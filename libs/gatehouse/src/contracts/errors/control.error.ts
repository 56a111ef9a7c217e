import { brand, GatehouseError } from './gatehouse.error.js';

/** What ends a run and no failure policy may convert in it. Leaving a tool of a parent run it is an ordinary failure there. */
@brand('ControlError')
export abstract class ControlError extends GatehouseError {
  /** The run it belongs to; set when it is raised. */
  runId?: string;
}
