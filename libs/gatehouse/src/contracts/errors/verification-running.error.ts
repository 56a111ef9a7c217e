import { brand, GatehouseError } from './gatehouse.error.js';

/** This process verifies its evidence already. One at a time: each reads the whole log. */
@brand('VerificationRunningError')
export class VerificationRunningError extends GatehouseError {
  constructor() {
    super('A verification is under way here. Wait for its report, or run `gatehouse verify` elsewhere.');
  }
}
