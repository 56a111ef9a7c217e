import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** An inspector ended the run. */
@brand('RunAbortedError')
export class RunAbortedError extends ControlError {
  constructor(
    readonly reason: string,
    readonly subject: 'operation' | 'step_commit',
  ) {
    super(reason);
  }
}
