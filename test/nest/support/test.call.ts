import { ToolCall } from './tools.room.js';

/** A call as the pipeline would make it; the roles stand for what an application puts on its principals. */
export class TestCall extends ToolCall {
  args: unknown = undefined;
  readonly toolName = 'test';
  readonly runId = 'run-1';
  readonly threadId = 'thread-1';
  readonly toolCallId = 'call-1';
  readonly attempt = 1;
  readonly organizationId = undefined;
  readonly ipAddress = undefined;
  readonly signal = new AbortController().signal;
  readonly state = {};
  readonly idempotencyKey: string;
  readonly approval = undefined;
  readonly user: { readonly id: string; readonly roles: readonly string[] };

  constructor(
    roles: readonly string[] = [],
    readonly operationId = 'operation-1',
  ) {
    super();
    this.idempotencyKey = operationId;
    this.user = { id: 'ann', roles };
  }
}
