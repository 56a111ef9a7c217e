import type { NewApproval, NewVote } from '../../contracts/ports/stored.approval.js';
import { sanitizeText } from '../../values/sanitizer.js';
import { visibleText } from '../../values/visible-text.js';
import { storableId, visible } from './storable.run.js';

/** An approval as every store takes it; its exact arguments are canonical JSON and stay untouched. */
export function storableApproval(approval: NewApproval): NewApproval {
  return {
    ...approval,
    id: storableId(approval.id, 'approvalId'),
    toolCallId: visibleText(approval.toolCallId),
    toolName: visibleText(approval.toolName),
    ...visible(approval, ['summary', 'risk', 'organizationId', 'requestedBy']),
  };
}

/** A vote as every store takes it. */
export function storableVote(vote: NewVote): NewVote {
  return {
    ...vote,
    principalId: visibleText(vote.principalId),
    ...(vote.reason === undefined ? {} : { reason: sanitizeText(vote.reason) }),
    ...(vote.note === undefined ? {} : { note: sanitizeText(vote.note) }),
  };
}
