import { brand, GatehouseError } from './gatehouse.error.js';

/** Something cannot work as configured. Thrown at boot, never later. */
@brand('ConfigurationError')
export class ConfigurationError extends GatehouseError {}
