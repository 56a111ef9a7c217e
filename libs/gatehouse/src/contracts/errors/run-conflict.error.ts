import { brand, GatehouseError } from './gatehouse.error.js';

/** The run id, or the client's name for a segment, was used before; or the thread already has a run under way. */
@brand('RunConflictError')
export class RunConflictError extends GatehouseError {}
