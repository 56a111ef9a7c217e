import type { ApprovalRequest } from '../contracts/approval.js';

/** What may leave the process of an approval, stored or not: never its exact arguments, its keys or its claim. */
export function viewApproval(stored: ApprovalRequest): ApprovalRequest {
  return Object.freeze({
    id: stored.id,
    runId: stored.runId,
    threadId: stored.threadId,
    operationId: stored.operationId,
    toolCallId: stored.toolCallId,
    toolName: stored.toolName,
    args: stored.args,
    argumentsDigest: stored.argumentsDigest,
    hidden: stored.hidden,
    summary: stored.summary,
    risk: stored.risk,
    status: stored.status,
    organizationId: stored.organizationId,
    requestedAt: stored.requestedAt,
    requestedBy: stored.requestedBy,
    expiresAt: stored.expiresAt,
    decidedAt: stored.decidedAt,
    decidedBy: stored.decidedBy,
    reason: stored.reason,
    note: stored.note,
    editedArgs: stored.editedArgs,
    approvers: stored.approvers,
    editable: stored.editable,
    votes: stored.votes,
  });
}
