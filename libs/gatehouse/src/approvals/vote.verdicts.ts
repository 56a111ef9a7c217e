import { ApprovalConflictError } from '../contracts/errors/approval-conflict.error.js';
import { ApprovalNotFoundError } from '../contracts/errors/approval-not-found.error.js';
import type { VoteResult } from '../contracts/ports/stored.approval.js';

/** The error of a vote that was not counted; nothing for one that was. */
export function verdictError(id: string, { verdict, approval }: VoteResult): Error | undefined {
  switch (verdict) {
    case 'recorded':
    case 'repeated':
      return undefined;
    case 'unknown':
      return new ApprovalNotFoundError(id);
    case 'expired':
      return new ApprovalConflictError(id, 'expired');
    case 'digest':
      return new ApprovalConflictError(
        id,
        approval?.status ?? 'pending',
        'its arguments are not the ones that were shown; read it again',
      );
    case 'conflict':
      return new ApprovalConflictError(id, approval?.status ?? 'pending', conflictOf(approval?.status));
  }
}

// While it is pending, the conflict is with one's own earlier word.
const conflictOf = (status = 'pending'): string =>
  status === 'pending' ? 'you have already answered it otherwise' : `it is already ${status}`;
