import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** The host's stop: throw it from `admit`. Wins over any output. */
@brand('RunStoppedError')
export class RunStoppedError extends ControlError {}
