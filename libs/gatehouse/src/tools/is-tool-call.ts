import type { ExecutionContext } from '@nestjs/common';

/** The type of a tool's `ExecutionContext`, as `getType()` says it. */
export const TOOL_CONTEXT = 'tool';

/**
 * Whether a guard or interceptor sees a tool call; argument 0 is then the `ToolCall`. Global guards see tool calls too.
 *
 * @example
 * ```ts
 * canActivate(context: ExecutionContext) {
 *   if (isToolCall(context)) return context.getArgByIndex<ToolCall>(0).user !== undefined;
 *   return this.jwt.verify(context.switchToHttp().getRequest());
 * }
 * ```
 */
export function isToolCall(context: ExecutionContext): boolean {
  if (context.getType<string>() !== TOOL_CONTEXT) return false;
  const call = context.getArgByIndex<unknown>(0);
  // By shape: another copy of the package has another ToolCall class.
  return typeof call === 'object' && call !== null && 'operationId' in call && 'toolName' in call;
}
