import { brand, GatehouseError } from './gatehouse.error.js';

/** The principal may not do this. A denial: it ends the run. */
@brand('NotPermitted')
export class NotPermitted extends GatehouseError {
  constructor(message = 'Not permitted.', options?: ErrorOptions) {
    super(message, options);
  }
}
