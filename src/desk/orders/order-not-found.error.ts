import { DeskError } from '../desk.error.js';

/** The organization has no such order. */
export class OrderNotFoundError extends DeskError {
  constructor(readonly order: number) {
    super(`There is no order ${order}.`);
  }
}
