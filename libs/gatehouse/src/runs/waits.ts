import { viewApproval } from '../approvals/approval.view.js';
import { RunSuspended } from '../contracts/errors/run-suspended.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { DeferredCall } from '../contracts/deferred.call.js';
import type { RunOutcome } from '../contracts/run.js';

/** Approvals and deferred calls of one response: what it waits for, or what became of them. */
export interface Waits {
  readonly approvals: readonly StoredApproval[];
  readonly deferrals: readonly StoredDeferral[];
}

/** Of what became of them, what is still open. */
export const openOf = ({ approvals, deferrals }: Waits): Waits => ({
  approvals: approvals.filter(({ status }) => status === 'pending'),
  deferrals: deferrals.filter(({ status }) => status === 'open'),
});

export const waitsForNothing = ({ approvals, deferrals }: Waits): boolean => approvals.length + deferrals.length === 0;

/** What an executor is thrown whose run waits. */
export const suspension = ({ approvals, deferrals }: Waits): RunSuspended =>
  new RunSuspended(
    approvals.map(({ id }) => id),
    deferrals.map(({ operationId }) => operationId),
  );

export const suspendedOutcome = ({ approvals, deferrals }: Waits): Extract<RunOutcome, { status: 'suspended' }> => ({
  status: 'suspended',
  approvals: approvals.map(viewApproval),
  deferred: deferrals.map(viewDeferral),
});

/** What may leave the process of a deferred call: nothing of its result. */
export const viewDeferral = ({ operationId, runId, toolCallId, toolName, ...rest }: DeferredCall): DeferredCall => {
  const { args, argumentsDigest, metadata, requestedAt } = rest;
  return Object.freeze({ operationId, runId, toolCallId, toolName, args, argumentsDigest, metadata, requestedAt });
};
