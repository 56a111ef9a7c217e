import { brand, GatehouseError } from './gatehouse.error.js';

/** An error of another process: same name, message and stack, not the same object. */
@brand('RestoredError')
export class RestoredError extends GatehouseError {
  constructor(name: string, message: string, stack?: string) {
    super(message);
    this.name = name;
    if (stack !== undefined) this.stack = stack;
  }
}
