import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** The database did not answer. `cause` is the driver's error: for the log, never for a client. */
@brand('StorageUnavailableError')
export class StorageUnavailableError extends ControlError {
  constructor(
    readonly action: string,
    options?: ErrorOptions,
  ) {
    super(`The store could not ${action}. Check the database connection.`, options);
  }
}
