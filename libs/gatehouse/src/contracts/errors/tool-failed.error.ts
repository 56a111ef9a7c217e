import { brand } from './gatehouse.error.js';
import { ToolSignal } from './tool.signal.js';

/** Thrown by a tool: a failed result with exactly this text, shown to the model. Spends no budget. */
@brand('ToolFailedError')
export class ToolFailedError extends ToolSignal {}
