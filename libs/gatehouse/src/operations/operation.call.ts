import type { JsonValue } from '../contracts/json.js';
import type { Principal } from '../contracts/principal.js';
import { ToolCall, type CallApproval } from '../contracts/tool.call.js';
import type { RunScope } from './run.scope.js';

/** What a call knows of its run. */
export type CallScope = Pick<
  RunScope,
  'runId' | 'threadId' | 'user' | 'organizationId' | 'ipAddress' | 'state' | 'signal'
>;

/** The `ToolCall` of one operation. Guards see it before there are arguments; only the pipeline fills those in. */
export class OperationCall extends ToolCall {
  args: unknown = undefined;
  attempt = 1;
  approval: CallApproval | undefined = undefined;
  readonly runId: string;
  readonly threadId: string;
  readonly user: Principal | undefined;
  readonly organizationId: string | undefined;
  readonly ipAddress: string | undefined;
  readonly state: Record<string, JsonValue>;
  readonly idempotencyKey: string;
  signal: AbortSignal;

  constructor(
    readonly toolName: string,
    readonly operationId: string,
    readonly toolCallId: string,
    scope: CallScope,
  ) {
    super();
    this.runId = scope.runId;
    this.threadId = scope.threadId;
    this.user = scope.user;
    this.organizationId = scope.organizationId;
    this.ipAddress = scope.ipAddress;
    this.state = scope.state;
    this.signal = scope.signal;
    this.idempotencyKey = operationId;
  }
  /** The same call for one more start: two that overlap must not share an attempt or a signal. */
  again(): OperationCall {
    return Object.assign(Object.create(OperationCall.prototype) as OperationCall, this);
  }
}
