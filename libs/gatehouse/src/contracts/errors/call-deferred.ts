import type { JsonObject } from '../json.js';
import { brand } from './gatehouse.error.js';
import { ToolSignal } from './tool.signal.js';

/**
 * Thrown by a tool or middleware, before any effect of its own: somebody outside executes the call. The run waits for their result
 * (`AgentRunner.resume({ results })`); the method never runs again for it. Where nothing can wait, a direct call or a child run, nobody waits: the direct
 * call gets this thrown.
 */
@brand('CallDeferred')
export class CallDeferred extends ToolSignal {
  constructor(
    /** Shown, redacted, to whoever sees that the call waits. */
    readonly metadata: JsonObject = {},
  ) {
    super('The call was handed to an external executor.');
  }
}
