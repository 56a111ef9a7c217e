import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** An inspector, or a fail-closed hook, threw, timed out or returned something that is no decision: nothing runs. */
@brand('InspectionFailedError')
export class InspectionFailedError extends ControlError {
  constructor(
    readonly inspector: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${inspector} ${problem}. Decisions are returned, made by Decide; until one is, nothing runs.`, options);
  }
}
