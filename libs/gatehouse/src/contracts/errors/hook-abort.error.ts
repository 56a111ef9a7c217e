import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** A hook ended the run. */
@brand('HookAbortError')
export class HookAbortError extends ControlError {
  constructor(
    readonly reason: string,
    readonly sourceHook?: string,
  ) {
    super(reason);
  }
}
