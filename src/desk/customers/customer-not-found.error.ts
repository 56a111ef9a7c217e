import { DeskError } from '../desk.error.js';

/** The organization has no such customer. */
export class CustomerNotFoundError extends DeskError {
  constructor(readonly customer: number) {
    super(`There is no customer ${customer}.`);
  }
}
