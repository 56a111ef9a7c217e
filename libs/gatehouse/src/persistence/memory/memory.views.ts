import type { ApprovalRequest } from '../../contracts/approval.js';
import type { StoredApproval } from '../../contracts/ports/stored.approval.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { copied, type MemoryApproval, type MemoryRun } from './memory.state.js';

/** A run as the ports show it. */
export function storedRun(run: MemoryRun): StoredRun {
  return Object.freeze(
    copied({
      ...run.made,
      state: run.state,
      status: run.status,
      epoch: run.epoch,
      owner: run.owner,
      step: run.step,
      counters: run.counters,
      lastSeq: run.lastSeq,
      ...(run.cancel === undefined ? {} : { cancelRequested: run.cancel }),
      startedAt: run.startedAt,
      ...(run.finishedAt === undefined ? {} : { finishedAt: run.finishedAt }),
      ...(run.eventsExpiredAt === undefined ? {} : { eventsExpiredAt: run.eventsExpiredAt }),
    }),
  );
}

/** An approval as working state shows it: exact arguments included, edited ones where a person edited. */
export function storedApproval(approval: MemoryApproval): StoredApproval {
  const { asked, edited } = approval;
  return Object.freeze({
    ...approvalRequest(approval),
    toolFingerprint: asked.toolFingerprint,
    received: edited?.received ?? asked.received,
    validated: edited?.validated ?? asked.validated,
    ...(asked.executed === undefined ? {} : { executed: asked.executed }),
    ...(approval.executeBefore === undefined ? {} : { executeBefore: approval.executeBefore }),
    ...(approval.claimToken === undefined ? {} : { claimToken: approval.claimToken }),
    ...(approval.result === undefined ? {} : { result: copied(approval.result) }),
    digestKey: approval.digestKey,
    requestSeal: null,
    proposedDigest: asked.argumentsDigest,
  });
}

/** An approval as people see it: only what may be shown. */
export function approvalRequest(approval: MemoryApproval): ApprovalRequest {
  const { asked, edited } = approval;
  return Object.freeze({
    ...copied({
      id: asked.id,
      runId: asked.runId,
      threadId: asked.threadId,
      operationId: asked.operationId,
      toolCallId: asked.toolCallId,
      toolName: asked.toolName,
      args: asked.shown,
      hidden: asked.hidden,
      approvers: asked.approvers,
      editable: asked.editable,
    }),
    ...copied(optional(approval)),
    argumentsDigest: edited?.argumentsDigest ?? asked.argumentsDigest,
    status: approval.status,
    requestedAt: approval.requestedAt,
    expiresAt: approval.expiresAt,
    decidedBy: approval.votes.filter((vote) => vote.approved === approval.decision).map((vote) => vote.principalId),
    votes: copied(approval.votes),
  });
}

function optional({ asked, edited, decidedAt, reason, note }: MemoryApproval): Partial<ApprovalRequest> {
  const fields = {
    summary: asked.summary,
    risk: asked.risk,
    organizationId: asked.organizationId,
    requestedBy: asked.requestedBy,
    decidedAt,
    reason,
    note,
    editedArgs: edited?.shown,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
