import type { NewVote } from '../../contracts/ports/stored.approval.js';
import type { StoredStep } from '../../contracts/ports/stored.step.js';
import type { ApprovalStatus } from '../../contracts/statuses.js';
import { decisionOf, type JudgedApproval } from '../vote.judgement.js';
import { redirectedOperations } from '../withdrawn.operations.js';
import { become, chronicle } from './memory.history.js';
import { copied, type MemoryApproval, type MemoryState } from './memory.state.js';

export function approvalsOf(state: MemoryState, runId: string): MemoryApproval[] {
  return [...state.approvals.values()].filter(({ asked }) => asked.runId === runId).sort(byId);
}

/** Whether the run waits for somebody. */
export function hasPending(state: MemoryState, runId: string): boolean {
  return approvalsOf(state, runId).some(({ status }) => status === 'pending');
}

/** Ends an approval that nobody decided; one that was decided keeps its decision's instant. */
export function endApproval(approval: MemoryApproval, status: ApprovalStatus, now: Date): void {
  approval.decidedAt ??= now;
  become(approval, status, now);
}

/** Marks what nobody answered, or nobody started, in time. */
export function expireOverdue(approvals: Iterable<MemoryApproval>, now: Date): void {
  for (const approval of approvals) {
    const unanswered = approval.status === 'pending' && approval.expiresAt <= now;
    const unstarted =
      approval.status === 'approved' && approval.executeBefore !== undefined && approval.executeBefore <= now;
    if (unanswered || unstarted) endApproval(approval, 'expired', now);
  }
}

/** Of a run that ends: what waits becomes `openBecome`, what was claimed without an outcome is unknown. */
export function closeApprovals(
  state: MemoryState,
  runId: string,
  openBecome: 'cancelled' | 'superseded',
  now: Date,
): void {
  for (const approval of approvalsOf(state, runId)) {
    if (approval.status === 'pending' || approval.status === 'approved') endApproval(approval, openBecome, now);
  }
  loseClaims(state, runId, now);
}

/** Of a step that settles: what was approved for a call that was redirected. */
export function withdrawApprovals(state: MemoryState, runId: string, step: StoredStep, now: Date): void {
  const over = redirectedOperations(step);
  if (over.length === 0) return;
  for (const approval of approvalsOf(state, runId)) {
    const isOver = approval.status === 'approved' && over.includes(approval.asked.operationId);
    if (isOver) endApproval(approval, 'superseded', now);
  }
}

/** Claimed calls of a lost owner: whether they ran is unknown. */
export function loseClaims(state: MemoryState, runId: string, now: Date): void {
  for (const approval of approvalsOf(state, runId)) {
    if (approval.status === 'executing') become(approval, 'unknown', now);
  }
}

export function judged(approval: MemoryApproval): JudgedApproval {
  return {
    status: approval.status,
    argumentsDigest: approval.asked.argumentsDigest,
    ...(approval.edited === undefined ? {} : { editedDigest: approval.edited.argumentsDigest }),
    quorum: approval.asked.approvers.quorum ?? 1,
    votes: approval.votes,
  };
}

/** Counts one vote, and decides where it was the last one needed. */
export function countVote(approval: MemoryApproval, vote: NewVote, now: Date): void {
  const decision = decisionOf(judged(approval), vote);
  const { principalId, approved, reason, note } = vote;
  const words = { ...(reason === undefined ? {} : { reason }), ...(note === undefined ? {} : { note }) };
  approval.votes.push({ principalId, approved, ...words, at: now });
  chronicle(approval, 'voted', now, {
    status: approved ? 'approved' : 'denied',
    principalId,
    detail: words.reason ?? words.note ?? null,
  });
  if (decision === undefined) return;
  Object.assign(approval, words);
  approval.decision = decision === 'approved';
  approval.decidedAt = now;
  become(approval, decision, now);
  if (decision === 'denied') return;
  approval.executeBefore = new Date(now.getTime() + approval.asked.executeWithinMs);
  if (vote.edited !== undefined) approval.edited = copied(vote.edited);
}

function byId(a: MemoryApproval, b: MemoryApproval): number {
  return a.asked.id < b.asked.id ? -1 : 1;
}
