import type { JsonValue } from '../contracts/json.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { ToolDefinition } from '../contracts/tool.definition.js';
import type { ToolTarget } from '../contracts/tool.options.js';
import type { ValidationResult } from './schemas/argument.schema.js';

/** One operation's way through Nest's mechanisms to the method. A scoped tool has one instance for all of it. */
export interface ToolInvocation {
  /** Guards, then `validate`, then pipes on what it gives. A rejection of `validate` passes through as it is. */
  admit(call: ToolCall, validate: () => unknown): Promise<unknown>;
  /** Only the guards: what was approved is not validated again. */
  guard(call: ToolCall): Promise<void>;
  /** Interceptors around the core. The core gets the arguments as they were handed in here. */
  execute(call: ToolCall, args: unknown, core: (args: unknown) => unknown): Promise<unknown>;
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
  open(call: ToolCall): Promise<ToolInvocation>;
  validate(value: JsonValue): Promise<ValidationResult>;
}
