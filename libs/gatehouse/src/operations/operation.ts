import type { JsonValue } from '../contracts/json.js';
import type { OperationFinished, OperationRequest, ShadowedDecision, ToolCallResult } from '../contracts/operation.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredOperation } from '../contracts/ports/stored.step.js';
import type { RegisteredTool, ToolInvocation } from '../tools/registered.tool.js';
import type { OperationCall } from './operation.call.js';

/** The arguments of an operation once Nest's guards, the schema and Nest's pipes have passed them. */
export interface ValidatedArguments {
  /** Canonical JSON of what the model sent. */
  readonly receivedText: string;
  /** What the method gets: a DTO instance, a schema's output. */
  readonly value: unknown;
  /** Its canonical JSON. */
  readonly text: string;
  readonly digest: string;
}

/** One proposed call on its way through the pipeline. Only the pipeline changes it. */
export class Operation {
  /** The raw proposal: text as the model wrote it, or a live value. */
  tool?: RegisteredTool;
  invocation?: ToolInvocation;
  call?: OperationCall;
  arguments?: ValidatedArguments;
  request?: OperationRequest;
  /** The approval that covers exactly these arguments; only on resume. */
  approval?: StoredApproval;
  /** The approval this operation waits for, or waited for. */
  approvalId?: string;
  /** It waited once: from now on it runs only with an approval, whatever the gate says. */
  mustBeApproved = false;
  voided = 0;
  redirects = 0;
  redirectedFrom?: string;
  starts = 0;
  readonly shadowed: ShadowedDecision[] = [];
  finished?: OperationFinished;
  result?: ToolCallResult;

  constructor(
    readonly id: string,
    readonly toolCallId: string,
    readonly toolName: string,
    readonly proposed: unknown,
    readonly step: number,
    readonly position: number,
    readonly startedAt: Date,
    readonly startedTick: number,
  ) {}

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
      received: this.receivedText(),
      validated: this.arguments?.text,
      approvalId: this.approvalId,
      voided: this.voided,
      redirectedFromOperationId: this.redirectedFrom,
      result: this.result && { status: this.result.status, outcome: this.result.outcome, content: this.result.content },
      startedAt: this.startedAt.toISOString(),
    };
  }
}

/** Arguments as plain JSON, from their canonical text. */
export const plainArguments = (text: string): JsonValue => JSON.parse(text) as JsonValue;
