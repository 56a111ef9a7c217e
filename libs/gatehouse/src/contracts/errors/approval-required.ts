import type { JsonObject } from '../json.js';
import { brand } from './gatehouse.error.js';
import { ToolSignal } from './tool.signal.js';

/**
 * Thrown by a tool before any effect: a person must decide; the method starts again once approved. Also thrown by `ToolExecutor.call` for a
 * gated call outside a run, with the id of the stored approval.
 */
@brand('ApprovalRequired')
export class ApprovalRequired extends ToolSignal {
  constructor(
    readonly metadata: JsonObject = {},
    readonly approvalId?: string,
  ) {
    super(approvalId === undefined ? 'This call needs an approval.' : `This call waits for approval ${approvalId}.`);
  }
}
