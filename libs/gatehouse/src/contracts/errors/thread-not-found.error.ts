import { brand, GatehouseError } from './gatehouse.error.js';

/** The thread belongs to somebody else. Said as if it did not exist. */
@brand('ThreadNotFoundError')
export class ThreadNotFoundError extends GatehouseError {
  constructor(readonly threadId: string) {
    super(`There is no thread ${threadId.slice(0, 64)}.`);
  }
}
