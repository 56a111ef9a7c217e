import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** Another process owns this run now. This one starts nothing more and writes nothing more. */
@brand('LeaseLostError')
export class LeaseLostError extends ControlError {
  constructor(runId: string) {
    super(`Run ${runId} is owned by another process now.`);
    this.runId = runId;
  }
}
