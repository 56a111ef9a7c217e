import { brand, GatehouseError } from './gatehouse.error.js';

/** The principal cannot act at all, such as a deactivated account. A denial: it ends the run. */
@brand('PrincipalUnavailable')
export class PrincipalUnavailable extends GatehouseError {
  constructor(message = 'The principal is not available.') {
    super(message);
  }
}
