import type { JsonValue } from './json.js';
import type { Principal } from './principal.js';

/** How an approved call came to run. */
export interface CallApproval {
  readonly id: string;
  readonly decidedBy: readonly string[];
  readonly note?: string;
}

/**
 * The second argument of a tool method, and argument 0 of the `ExecutionContext` that guards and interceptors see. A class, so that it may be
 * a decorated parameter's type.
 *
 * @example
 * ```ts
 * refund(args: RefundDto, call: ToolCall) { return this.bank.refund(args, { key: call.idempotencyKey, signal: call.signal }); }
 * ```
 */
export abstract class ToolCall {
  abstract readonly toolName: string;
  /** The validated arguments; nothing until validation. Guards run before it: they see the caller, never the model's words. */
  abstract readonly args: unknown;
  abstract readonly runId: string;
  abstract readonly threadId: string;
  abstract readonly operationId: string;
  /** The model's own call id, or ours where it gave none. Data, never a key. */
  abstract readonly toolCallId: string;
  /** 1 for the first start of this operation's method. */
  abstract readonly attempt: number;
  abstract readonly user: Principal | undefined;
  abstract readonly organizationId: string | undefined;
  abstract readonly ipAddress: string | undefined;
  /** Aborts on cancel, disconnect, shutdown, time-out. */
  abstract readonly signal: AbortSignal;
  /** The run's working state; stored with the run. */
  abstract readonly state: Record<string, JsonValue>;
  /** Stable for one operation: hand it to clients that support idempotency. */
  abstract readonly idempotencyKey: string;
  abstract readonly approval: CallApproval | undefined;
}
