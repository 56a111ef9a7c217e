import { DeskError } from '../desk.error.js';
import { inEuros } from '../money.js';

/** More than is left of the order's total. Amounts are cents. */
export class RefundTooLargeError extends DeskError {
  constructor(
    readonly order: number,
    readonly amount: number,
    readonly left: number,
  ) {
    super(
      `Order ${order} has ${inEuros(left)} left to refund, which is less than ${inEuros(amount)}. Nothing was refunded.`,
    );
  }
}
