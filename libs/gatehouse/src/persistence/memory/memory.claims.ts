import { ApprovalConflictError } from '../../contracts/errors/approval-conflict.error.js';
import { ApprovalNotFoundError } from '../../contracts/errors/approval-not-found.error.js';
import type { RunStore } from '../../contracts/ports/run.store.js';
import type { NewApproval, StoredApproval } from '../../contracts/ports/stored.approval.js';
import type { StoredResult } from '../../contracts/ports/stored.step.js';
import { sanitizeText } from '../../values/sanitizer.js';
import { resolvedResult } from '../resolution.result.js';
import { storableApproval } from '../storable/storable.approval.js';
import { approvalsOf, endApproval } from './memory.approvals.js';
import { become, chronicle } from './memory.history.js';
import { copied, type MemoryApproval, type MemoryRun, type MemoryState, type Resolution } from './memory.state.js';
import { storedApproval } from './memory.views.js';

/** Stores that a call waits; the same id again is the same request. */
export function requestMemoryApproval(
  state: MemoryState,
  run: MemoryRun,
  wanted: NewApproval,
  now: Date,
): StoredApproval {
  const asked = copied(storableApproval(wanted));
  const before = state.approvals.get(asked.id);
  if (before !== undefined) return storedApproval(before);
  for (const earlier of approvalsOf(state, run.made.id)) {
    if (earlier.asked.operationId === asked.operationId && isOpen(earlier)) endApproval(earlier, 'superseded', now);
  }
  const approval: MemoryApproval = {
    asked,
    digestKey: run.made.digestKey,
    requestedAt: now,
    expiresAt: new Date(now.getTime() + asked.expiresInMs),
    votes: [],
    history: [],
    status: 'pending',
  };
  chronicle(approval, 'requested', now, { principalId: asked.requestedBy ?? null, detail: asked.summary ?? null });
  state.approvals.set(asked.id, approval);
  return storedApproval(approval);
}

/** One claim buys one start; the same token again is the same claim. */
export function claimApproval(
  state: MemoryState,
  run: MemoryRun,
  claim: Parameters<RunStore['claim']>[1],
  now: Date,
): 'claimed' | 'refused' {
  const approval = state.approvals.get(claim.approvalId);
  if (approval === undefined || approval.asked.runId !== run.made.id) return 'refused';
  const digest = approval.edited?.argumentsDigest ?? approval.asked.argumentsDigest;
  if (digest !== claim.argumentsDigest) return 'refused';
  if (approval.status === 'executing') return approval.claimToken === claim.claimToken ? 'claimed' : 'refused';
  const inTime = approval.executeBefore !== undefined && approval.executeBefore > now;
  if (approval.status !== 'approved' || !inTime || run.cancel !== undefined) return 'refused';
  approval.claimToken = claim.claimToken;
  become(approval, 'executing', now);
  return 'claimed';
}

/** The outcome of a claimed call; the first one stays. */
export function settleClaim(
  state: MemoryState,
  run: MemoryRun,
  approvalId: string,
  result: StoredResult,
  now: Date,
): void {
  const approval = state.approvals.get(approvalId);
  if (approval === undefined || approval.asked.runId !== run.made.id) throw new ApprovalNotFoundError(approvalId);
  if (approval.status === 'done') return;
  if (approval.status !== 'executing') throw new ApprovalConflictError(approvalId, approval.status);
  approval.result = copied(result);
  become(approval, 'done', now);
}

/** Writes a person's word on a lost outcome; nothing where there is none to resolve. */
export function resolveApproval(
  state: MemoryState,
  approvalId: string,
  said: Resolution,
  now: Date,
): StoredApproval | undefined {
  const resolution = { outcome: said.outcome, by: sanitizeText(said.by), note: sanitizeText(said.note) };
  const approval = state.approvals.get(approvalId);
  if (approval === undefined) return undefined;
  if (approval.status === 'unknown') {
    approval.resolution = resolution;
    approval.result = resolvedResult(resolution.outcome, resolution.note);
    become(approval, 'done', now);
  }
  return isSame(approval.resolution, resolution) ? storedApproval(approval) : undefined;
}

function isOpen({ status }: MemoryApproval): boolean {
  return status === 'pending' || status === 'approved' || status === 'executing';
}

function isSame(stored: Resolution | undefined, said: Resolution): boolean {
  return stored?.outcome === said.outcome && stored.by === said.by && stored.note === said.note;
}
