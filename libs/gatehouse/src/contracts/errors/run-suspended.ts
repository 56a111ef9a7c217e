import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** A person is needed: the run suspends, whatever the executor does with this. */
@brand('RunSuspended')
export class RunSuspended extends ControlError {
  constructor(readonly approvalIds: readonly string[]) {
    super(
      `The run waits for ${approvalIds.length === 1 ? 'an approval' : `${approvalIds.length} approvals`}: ${approvalIds.join(', ')}.`,
    );
  }
}
