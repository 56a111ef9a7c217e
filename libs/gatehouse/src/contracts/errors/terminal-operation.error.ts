import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** Subclass it and throw it for what no model may handle: the run ends. */
@brand('TerminalOperationError')
export class TerminalOperationError extends ControlError {}
