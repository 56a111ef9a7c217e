import { brand, GatehouseError } from './gatehouse.error.js';

/** A tool took longer than its `timeout`. Its body cannot be stopped; its late result is recorded as late and never used. */
@brand('ToolTimeoutError')
export class ToolTimeoutError extends GatehouseError {
  constructor(
    readonly toolName: string,
    readonly milliseconds: number,
  ) {
    super(`Tool '${toolName}' did not finish within ${milliseconds} ms.`);
  }
}
