import { brand, GatehouseError } from './gatehouse.error.js';

/** The application is closing: nothing is started or gone on with. Answers that came with the request may count already. */
@brand('ShuttingDownError')
export class ShuttingDownError extends GatehouseError {
  constructor() {
    super('The application is shutting down; ask again elsewhere or later.');
  }
}
