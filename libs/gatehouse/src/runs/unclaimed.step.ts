import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredStep } from '../contracts/ports/stored.step.js';
import type { ApprovalStatus } from '../contracts/statuses.js';

const STARTED: readonly ApprovalStatus[] = ['executing', 'unknown', 'done'];

/**
 * Whether a run had been suspended in this response and nothing of it was claimed since. Without a claim nothing that waited starts, so whoever
 * was resuming it can be lost without harm.
 */
export const isUnclaimed = ({ operations }: StoredStep, approvals: readonly StoredApproval[]): boolean => {
  const open = operations.filter(({ result }) => result === undefined);
  const waited = open.length > 0 && open.every(({ approvalId }) => approvalId !== undefined);
  const ids = new Set(open.map(({ operationId }) => operationId));
  const ours = approvals.filter(({ operationId }) => ids.has(operationId));
  // What a lost process asked for in the place of one of them (a hook's redirect) nobody can go on with.
  const asksElse = approvals.some(({ operationId, status }) => status === 'pending' && !ids.has(operationId));
  return waited && !asksElse && ours.every(({ status }) => !STARTED.includes(status));
};
