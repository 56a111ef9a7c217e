import { TraceContext } from '../contracts/ports/trace.context.js';

/** Nobody traces. */
export class NoTraces extends TraceContext {
  override current(): undefined {
    return undefined;
  }
}
