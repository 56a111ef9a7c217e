import type { Awaitable } from '../contracts/awaitable.js';
import type { JsonValue } from '../contracts/json.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { ToolDefinition } from '../contracts/tool.definition.js';
import type { ToolTarget } from '../contracts/tool.options.js';
import type { ValidationResult } from './schemas/argument.schema.js';

/** One operation's way through Nest's mechanisms to the method. A scoped tool has one instance for all of it. */
export interface ToolInvocation {
  /** Nest's guards: rejects with what refused. Absent: there are none. */
  readonly guard?: (call: ToolCall) => Promise<unknown>;
  /** Nest's pipes, on what the schema gave. Absent: there are none. */
  readonly pipe?: (value: unknown) => Promise<unknown>;
  /** Interceptors around the core. The core gets the arguments as they were handed in here. */
  execute(call: ToolCall, args: unknown, core: (args: unknown) => Promise<unknown>): Promise<unknown>;
  /**
   * The value an approval was given for, made from stored bytes, so that nobody has held it before.
   *
   * @param received the arguments as they came
   * @param validatedText the RFC 8785 text of what validation made of them
   * @throws Error where the same bytes do not give the same value
   */
  rebuild(received: JsonValue, validatedText: string): Promise<unknown>;
  /** Starts the method. What it gives may be a value, a promise or an Observable. */
  start(args: unknown, call: ToolCall): unknown;
}

/** A tool of the registry, ready to be called. */
export interface RegisteredTool {
  readonly definition: ToolDefinition;
  /** Absent: the run's limit. */
  readonly retries?: number;
  /** Milliseconds; absent: none. */
  readonly timeoutMs?: number;
  /** An intent is committed before the method starts. */
  readonly audit?: 'required';
  readonly target?: (args: unknown) => ToolTarget;
  /** Opens one operation; makes the instance of a scoped tool. */
  open(call: ToolCall): Awaitable<ToolInvocation>;
  validate(value: JsonValue): Awaitable<ValidationResult>;
}
