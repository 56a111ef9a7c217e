import { SetMetadata, type Type } from '@nestjs/common';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { RunLimits } from '../contracts/limits.js';
import type { OutputSpec } from '../contracts/output.js';
import type { RoleRef } from '../contracts/run.js';
import type { OperationInspector, ToolHook, ToolMiddleware } from '../contracts/roles.js';
import { AGENT_METADATA } from '../contracts/tokens.js';

/** Options of `@Agent`. */
export interface AgentOptions {
  /** Unique in the app; stored with every run. */
  readonly name: string;
  /** The tools it may propose. Default: all. */
  readonly tools?: readonly string[];
  /** What the result of its runs must be. Default: its last words, as text. */
  readonly output?: OutputSpec;
  readonly limits?: Partial<RunLimits>;
  /** Added to the module's own, after them. */
  readonly inspectors?: readonly RoleRef<OperationInspector>[];
  readonly hooks?: readonly RoleRef<ToolHook>[];
  readonly middleware?: readonly RoleRef<ToolMiddleware>[];
  /** The agent of `POST runs`. With a single agent it is that one. */
  readonly default?: boolean;
}

/**
 * Names a run executor, so that every replica can start and resume its runs.
 *
 * @example
 * ```ts
 * @Agent({ name: 'support', tools: ['lookup_order'] })
 * class SupportAgent extends ModelAgent { model = openai('gpt-5'); instructions = 'Help with orders.'; }
 * ```
 */
export const Agent = (options: AgentOptions): ClassDecorator => {
  if (typeof options?.name !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(options.name)) {
    throw new ConfigurationError("@Agent needs { name } of 1 to 64 letters, digits, '_', '.' or '-'.");
  }
  return SetMetadata(AGENT_METADATA, Object.freeze({ ...options }));
};

/** The one reader of what `@Agent` wrote. */
export const agentOptionsOf = (target: Type<unknown>): AgentOptions | undefined =>
  Reflect.getOwnMetadata(AGENT_METADATA, target) as AgentOptions | undefined;
