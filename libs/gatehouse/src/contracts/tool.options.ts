import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Type } from '@nestjs/common';
import type { Duration } from './duration.js';
import type { JsonObject, JsonSchema } from './json.js';

/** Where a tool's arguments are described: a DTO class, a Standard Schema (zod, valibot, arktype), or raw JSON Schema. */
export type ParameterSource<Args> = StandardSchemaV1<unknown, Args> | Type<Args> | JsonSchema;

/** The business object a call acts on, for the audit. */
export interface ToolTarget {
  readonly type: string;
  readonly id: string;
}

/** Options of `@Tool` and `@DestructiveTool`. */
export interface ToolOptions<Args = unknown> {
  /** `[A-Za-z0-9_.-]{1,64}`. Default: the method's name. */
  readonly name?: string;
  /** What the model reads. */
  readonly description?: string;
  /** Default: the DTO class of the method's first parameter. */
  readonly parameters?: ParameterSource<Args>;
  /** MCP-style hints; `readOnlyHint: false` says the tool mutates. */
  readonly annotations?: JsonObject;
  readonly metadata?: JsonObject;
  /** True gates it (while the guard is on); false overrides what hints and schema say. */
  readonly destructive?: boolean;
  /** How often the model may be asked again. Default: `limits.toolRetries`. */
  readonly retries?: number;
  /** Default: none. */
  readonly timeout?: Duration;
  /** As `audit.durability: 'required'` for this tool, destructive or not. Needs `persistence`. */
  readonly audit?: 'required';
  /** What the call acts on; stored in clear, so only opaque ids. */
  target?(args: Args): ToolTarget;
}
