import { brand, GatehouseError } from './gatehouse.error.js';

/** The application is closing: no new runs. */
@brand('ShuttingDownError')
export class ShuttingDownError extends GatehouseError {
  constructor() {
    super('The application is shutting down; start the run again elsewhere or later.');
  }
}
