import type { StoredStep } from '../contracts/ports/stored.step.js';
import type { ApprovalStatus } from '../contracts/statuses.js';
import { openOf, type Waits } from './waits.js';

const STARTED: readonly ApprovalStatus[] = ['executing', 'unknown', 'done'];

/** The operations that asked a person, or were handed on. */
export const waitsIn = ({ approvals, deferrals }: Waits): ReadonlySet<string> =>
  new Set([...approvals, ...deferrals].map(({ operationId }) => operationId));

/**
 * Whether something of this response that is open waits for a person, or had asked for one on its way to the suspension, or was handed on, and
 * nothing of it was claimed to run here. Without a claim nothing that waits starts, so whoever drove it can be lost without harm: what people decided stands.
 */
export const isUnclaimed = ({ operations }: StoredStep, { approvals, deferrals }: Waits): boolean => {
  const open = operations.filter(({ result }) => result === undefined);
  const ids = new Set(open.map(({ operationId }) => operationId));
  const ours = approvals.filter(({ operationId }) => ids.has(operationId));
  const asks = waitsIn({ approvals, deferrals });
  const handedOn = new Set(deferrals.map(({ operationId }) => operationId));
  const waited = open.some(({ operationId, approvalId }) => approvalId !== undefined || asks.has(operationId));
  // What a lost process asked for in the place of one of them (a hook's redirect) nobody can go on with.
  const still = openOf({ approvals, deferrals });
  const asksElse = [...still.approvals, ...still.deferrals].some(({ operationId }) => !ids.has(operationId));
  // What was handed on was withdrawn from its claim.
  const started = ours.some(({ operationId, status }) => !handedOn.has(operationId) && STARTED.includes(status));
  return waited && !asksElse && !started;
};
