import type { ApprovalPolicy } from '../contracts/approval.policy.js';
import type { JsonValue } from '../contracts/json.js';
import type { NewApproval } from '../contracts/ports/stored.approval.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { ToolDefinition } from '../contracts/tool.definition.js';
import { toMilliseconds } from '../values/durations.js';
import { newId } from '../values/ids.js';
import { oneLine } from '../values/one-line.js';
import type { Redactor } from '../values/redactor.js';
import { editableFields } from './approver.rules.js';
import { hiddenValues, pointersOf } from './hidden.values.js';

const LONGEST_SUMMARY = 300;

/** A call that starts to wait. */
export interface WaitingCall {
  readonly call: Pick<ToolCall, 'runId' | 'threadId' | 'operationId' | 'toolCallId' | 'user' | 'organizationId'>;
  readonly tool: ToolDefinition;
  /** Exact canonical JSON: what was received, what validation made of it. */
  readonly received: string;
  readonly validated: string;
  readonly argumentsDigest: string;
  /** The validated arguments as the tool's own functions know them. */
  readonly args: unknown;
}

/** What a drafter needs from around it. */
export interface DraftSettings {
  readonly approvals: Pick<ResolvedOptions['approvals'], 'expiresIn' | 'executeWithin'>;
  readonly redactor: Redactor;
}

/** The approval to store: what a person is shown, who may decide, for how long. */
export function draftApproval(waiting: WaitingCall, { approvals, redactor }: DraftSettings): NewApproval {
  const { call, tool, received, validated, argumentsDigest } = waiting;
  const policy = tool.approval ?? {};
  return Object.freeze({
    id: newId(),
    runId: call.runId,
    threadId: call.threadId,
    operationId: call.operationId,
    toolCallId: call.toolCallId,
    toolName: tool.name,
    toolFingerprint: tool.fingerprint,
    received,
    validated,
    argumentsDigest,
    ...shownArguments(validated, redactor),
    summary: summaryOf(policy, waiting.args, redactor),
    risk: policy.risk,
    organizationId: call.organizationId,
    requestedBy: call.user?.id,
    approvers: Object.freeze({ ...policy.approvers }),
    editable: editableFields(policy),
    expiresInMs: millisecondsOf(policy.expiresIn, 'expiresIn', approvals.expiresIn),
    executeWithinMs: millisecondsOf(policy.executeWithin, 'executeWithin', approvals.executeWithin),
  });
}

/** Canonical arguments as a person sees them, and where that is not the whole of them. */
export function shownArguments(canonical: string, redactor: Redactor): Pick<NewApproval, 'shown' | 'hidden'> {
  const exact = JSON.parse(canonical) as JsonValue;
  const shown = redactor.redact(exact);
  const hidden = pointersOf(hiddenValues(exact, shown)).map((pointer) => redactor.redactText(pointer));
  return { shown, hidden: Object.freeze(hidden) };
}

// The host's function: whatever it does must not cost the approval.
function summaryOf(policy: ApprovalPolicy, args: unknown, redactor: Redactor): string | undefined {
  try {
    const summary: unknown = policy.summary?.(args);
    // An asynchronous one is no summary; its rejection must not end the process.
    if (summary instanceof Promise) summary.catch(() => undefined);
    if (typeof summary !== 'string' || summary.trim() === '') return undefined;
    return oneLine(redactor.redactText(summary.trim()), LONGEST_SUMMARY);
  } catch {
    return undefined;
  }
}

function millisecondsOf(duration: ApprovalPolicy['expiresIn'], option: string, otherwise: number): number {
  return duration === undefined ? otherwise : toMilliseconds(duration, `@RequireApproval ${option}`);
}
