import { brand } from './gatehouse.error.js';
import { ControlError } from './control.error.js';

/** The evidence of a call that must be recorded could not be written: it did not start, or its result is withheld. */
@brand('AuditUnavailableError')
export class AuditUnavailableError extends ControlError {}
