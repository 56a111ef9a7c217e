import type { JsonObject } from '../json.js';
import { brand } from './gatehouse.error.js';
import { ToolSignal } from './tool.signal.js';

/** Thrown by a tool or middleware: something outside this process executes the call. */
@brand('CallDeferred')
export class CallDeferred extends ToolSignal {
  constructor(readonly metadata: JsonObject = {}) {
    super('The call was handed to an external executor.');
  }
}
