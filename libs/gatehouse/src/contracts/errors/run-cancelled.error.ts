import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** Who or what cancelled a run. */
export type CancelSource = 'client disconnected' | 'requested' | 'shutdown' | 'parent' | 'signal' | 'lease lost';

/** The run was cancelled. */
@brand('RunCancelledError')
export class RunCancelledError extends ControlError {
  constructor(
    readonly source: CancelSource,
    readonly reason = '',
    options?: ErrorOptions,
  ) {
    super(reason === '' ? source : `${source}: ${reason}`, options);
  }
}
