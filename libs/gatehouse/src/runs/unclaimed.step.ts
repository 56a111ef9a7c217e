import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredOperation, StoredStep } from '../contracts/ports/stored.step.js';
import type { ApprovalStatus } from '../contracts/statuses.js';

const STARTED: readonly ApprovalStatus[] = ['executing', 'unknown', 'done'];

/**
 * Whether everything of this response that is open waits for a person, or had asked for one on its way to the suspension, and nothing of it was
 * claimed. Without a claim nothing that waits starts, so whoever drove it can be lost without harm: what people decided stands.
 */
export const isUnclaimed = ({ operations }: StoredStep, approvals: readonly StoredApproval[]): boolean => {
  const open = operations.filter(({ result }) => result === undefined);
  const ids = new Set(open.map(({ operationId }) => operationId));
  const ours = approvals.filter(({ operationId }) => ids.has(operationId));
  const asked = new Set(ours.map(({ operationId }) => operationId));
  const waits = ({ operationId, approvalId }: StoredOperation) => approvalId !== undefined || asked.has(operationId);
  const waited = open.length > 0 && open.every(waits);
  // What a lost process asked for in the place of one of them (a hook's redirect) nobody can go on with.
  const asksElse = approvals.some(({ operationId, status }) => status === 'pending' && !ids.has(operationId));
  return waited && !asksElse && ours.every(({ status }) => !STARTED.includes(status));
};
