import type { JsonValue } from '../contracts/json.js';
import type { OperationFinished, OperationRequest, ShadowedDecision, ToolCallResult } from '../contracts/operation.js';
import type { TraceIds } from '../contracts/ports/trace.context.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { StoredOperation, StoredResult } from '../contracts/ports/stored.step.js';
import type { RegisteredTool, ToolInvocation } from '../tools/registered.tool.js';
import type { BoundArguments } from './bound.arguments.js';
import type { OperationCall } from './operation.call.js';

/** One proposed call on its way through the pipeline. Only the pipeline changes it. */
export class Operation {
  /** The raw proposal: text as the model wrote it, or a live value. */
  tool?: RegisteredTool;
  invocation?: ToolInvocation;
  call?: OperationCall;
  arguments?: BoundArguments;
  /** What was inspected before something on the way to the method changed it. */
  inspected?: BoundArguments;
  request?: OperationRequest;
  /** The approval that covers exactly these arguments; only on resume. */
  approval?: StoredApproval;
  /** The approval this operation waits for, or waited for. */
  approvalId?: string;
  /** It was handed on: its result comes from outside. */
  deferral?: StoredDeferral;
  /** It waited once: from now on it runs only with an approval, whatever the gate says. */
  mustBeApproved = false;
  /** Its approval was claimed, or is being claimed: that pays for the one start it will have. */
  claiming = false;
  voided = 0;
  redirects = 0;
  redirectedFrom?: string;
  starts = 0;
  /** Starts that the method itself withdrew before any effect: they are no executions. */
  withdrawn = 0;
  /** It ran before it came to wait for a person. */
  ranBefore = false;
  /** An output proposal that stands in the response's text: no call of the model answers to it. */
  inText = false;
  readonly shadowed: ShadowedDecision[] = [];
  finished?: OperationFinished;
  /** Listeners were told how it ended. */
  told = false;
  /** What is stored of its outcome, where its process was lost behind that. */
  outcomeStored?: StoredResult;
  result?: ToolCallResult;
  /** It has a span here. */
  traced = false;
  /** Where that span is. */
  trace?: TraceIds;

  constructor(
    readonly id: string,
    readonly toolCallId: string,
    readonly toolName: string,
    readonly proposed: unknown,
    readonly step: number,
    readonly position: number,
    readonly startedAt: Date,
    readonly startedTick: number,
    readonly kind: 'tool' | 'output' = 'tool',
  ) {}

  /** Whether the method was executed, now or before a suspension. */
  get executed(): boolean {
    return this.ranBefore || this.starts > this.withdrawn;
  }

  /** The approval does not cover what is about to run. The gate asks once more, and no third time. */
  voidApproval(): void {
    if (this.approval === undefined) return;
    this.approval = undefined;
    this.voided += 1;
  }

  /** The arguments as text, for ledgers and working state: canonical where they were JSON, raw where not. */
  receivedText(): string {
    if (this.arguments !== undefined) return this.arguments.receivedText;
    if (typeof this.proposed === 'string') return this.proposed;
    try {
      return JSON.stringify(this.proposed) ?? '';
    } catch {
      return '';
    }
  }

  stored(): StoredOperation {
    return {
      operationId: this.id,
      toolCallId: this.toolCallId,
      toolName: this.toolName,
      position: this.position,
      kind: this.kind === 'output' ? this.kind : undefined,
      inText: this.inText || undefined,
      received: this.receivedText(),
      validated: this.arguments?.text,
      approvalId: this.approvalId,
      voided: this.voided,
      redirects: this.redirects || undefined,
      executed: this.executed || undefined,
      deferred: this.deferral === undefined ? undefined : true,
      redirectedFromOperationId: this.redirectedFrom,
      result: this.result && { status: this.result.status, outcome: this.result.outcome, content: this.result.content },
      startedAt: this.startedAt.toISOString(),
    };
  }
}

/** Arguments as plain JSON, from their canonical text. */
export const plainArguments = (text: string): JsonValue => JSON.parse(text) as JsonValue;
