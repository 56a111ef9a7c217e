import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** A person, or a result from outside, is waited for: the run suspends, whatever the executor does with this. */
@brand('RunSuspended')
export class RunSuspended extends ControlError {
  constructor(
    readonly approvalIds: readonly string[],
    /** Operations whose calls were handed on. */
    readonly deferredIds: readonly string[] = [],
  ) {
    const waits = [
      ...counted(approvalIds, 'an approval', 'approvals'),
      ...counted(deferredIds, 'the result of a deferred call', 'results of deferred calls'),
    ];
    super(`The run waits for ${waits.join(', and for ')}.`);
  }
}

const counted = (ids: readonly string[], one: string, many: string): readonly string[] =>
  ids.length === 0 ? [] : [`${ids.length === 1 ? one : `${ids.length} ${many}`}: ${ids.join(', ')}`];
