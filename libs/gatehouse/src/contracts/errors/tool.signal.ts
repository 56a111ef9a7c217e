import { brand, GatehouseError } from './gatehouse.error.js';

/** What a tool or middleware throws to say something other than "it failed". */
@brand('ToolSignal')
export abstract class ToolSignal extends GatehouseError {}
