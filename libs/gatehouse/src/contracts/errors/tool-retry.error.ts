import { brand } from './gatehouse.error.js';
import { ToolSignal } from './tool.signal.js';

/** Thrown by a tool: ask the model again, with this message. Spends the tool's retry budget. Idea: pydantic-ai's ModelRetry. */
@brand('ToolRetryError')
export class ToolRetryError extends ToolSignal {}
