import type { ToolCall } from '../contracts/tool.call.js';
import type { NamedMiddleware } from './middleware.order.js';

/**
 * Runs the innermost function inside the list, outermost first. `next({ args })` replaces the arguments for everything further in; what a
 * second `next` means is the innermost function's to say.
 */
export function throughMiddleware(
  list: readonly NamedMiddleware[],
  call: ToolCall,
  args: unknown,
  innermost: (args: unknown) => Promise<unknown>,
): Promise<unknown> {
  const layer = async (index: number, call: ToolCall, args: unknown): Promise<unknown> => {
    const middleware = list[index];
    if (middleware === undefined) return innermost(args);
    return middleware.role.aroundTool(call, (changed) => {
      if (changed === undefined || !('args' in changed)) return layer(index + 1, call, args);
      return layer(index + 1, withArguments(call, changed.args), changed.args);
    });
  };
  return list.length === 0 ? innermost(args) : layer(0, call, args);
}

// What stands further in must see what it wraps. A view on an object of its own, so that a frozen call can have one too.
function withArguments(call: ToolCall, args: unknown): ToolCall {
  const view = Object.create(Object.getPrototypeOf(call) as object) as ToolCall;
  return new Proxy(view, { get: (_, key): unknown => (key === 'args' ? args : Reflect.get(call, key, call)) });
}
