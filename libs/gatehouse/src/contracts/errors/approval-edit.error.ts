import { brand, GatehouseError } from './gatehouse.error.js';

/** Edited arguments that the tool's policy or schema refuses. Nothing was decided. */
@brand('ApprovalEditError')
export class ApprovalEditError extends GatehouseError {
  constructor(
    readonly approvalId: string,
    readonly problems: readonly string[],
  ) {
    super(`The edited arguments of approval ${approvalId} are refused: ${problems.join('; ')}. Nothing was decided.`);
  }
}
