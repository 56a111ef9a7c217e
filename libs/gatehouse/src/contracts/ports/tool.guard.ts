import type { Awaitable } from '../awaitable.js';
import type { ToolCall } from '../tool.call.js';
import type { ToolDefinition, ToolGate, UnjudgedTool } from '../tool.definition.js';

/** Says which calls wait for a person. Replace by this DI token; a throw gates. */
export abstract class ToolGuard {
  /** At registration: what the boot table shows. */
  abstract judge(tool: UnjudgedTool): { readonly destructive: boolean; readonly gate: ToolGate };
  /** For one call, with its validated arguments. */
  abstract decide(tool: ToolDefinition, args: unknown, call: ToolCall): Awaitable<ToolGate>;

  /**
   * With the names of all tools, once they are known and after each change: throws `ConfigurationError`, or warns, for lists that name others.
   * `namespaces` are those of tool sources, whose tools may come later.
   */
  checkNames(_names: readonly string[], _namespaces?: readonly string[]): void {}
}
