import type { Awaitable } from './awaitable.js';
import type { JsonObject, JsonSchema } from './json.js';
import type { ToolCall } from './tool.call.js';

/** One tool of a source, as the source tells it. */
export interface SourceTool {
  /** The source's own name for it; it is offered as `namespace_name`. */
  readonly name: string;
  readonly description?: string;
  /** Default: it takes no arguments. */
  readonly parameters?: JsonSchema;
  readonly annotations?: JsonObject;
  readonly metadata?: JsonObject;
}

/**
 * Tools that live elsewhere, such as on an MCP server. They are governed like any other; their names carry the namespace, so that none can
 * pass for a tool of the application, and they count as destructive, whatever they say of themselves.
 *
 * @example
 * ```ts
 * registry.register({ namespace: 'crm', tools: [{ name: 'find' }], call: (name, args, { signal }) => crm.callTool(name, args, signal) });
 * ```
 */
export interface ToolSource {
  /** 1 to 32 of the characters of a tool name. */
  readonly namespace: string;
  readonly tools: readonly SourceTool[];
  /** Runs one tool, by the source's own name for it. What it throws is the call's failure. */
  call(name: string, args: JsonObject, call: ToolCall): Awaitable<unknown>;
}
