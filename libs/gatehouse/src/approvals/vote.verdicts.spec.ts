import { ApprovalConflictError } from '../contracts/errors/approval-conflict.error.js';
import { ApprovalNotFoundError } from '../contracts/errors/approval-not-found.error.js';
import type { StoredApproval, VoteResult } from '../contracts/ports/stored.approval.js';
import { verdictError } from './vote.verdicts.js';

const told = (verdict: VoteResult['verdict'], status?: StoredApproval['status']): Error | undefined =>
  verdictError('a1', {
    verdict,
    ...(status === undefined ? {} : { approval: { id: 'a1', status } as StoredApproval }),
  });

describe('verdictError', () => {
  it('a vote that counts, now or before, is no error', () => {
    expect([told('recorded', 'approved'), told('repeated', 'approved')]).toEqual([undefined, undefined]);
  });

  it('an id nobody has is not found', () => {
    expect(told('unknown')).toEqual(new ApprovalNotFoundError('a1'));
  });

  it('too late is a conflict with an expired approval', () => {
    expect(told('expired', 'pending')).toEqual(new ApprovalConflictError('a1', 'expired'));
  });

  it.each([
    ['pending', 'pending'],
    ['superseded', 'superseded'],
    [undefined, 'pending'],
  ] as const)('other arguments than were shown are a conflict: read it again (%s)', (stored, said) => {
    const why = 'its arguments are not the ones that were shown; read it again';
    expect(told('digest', stored)).toEqual(new ApprovalConflictError('a1', said, why));
  });

  it.each([
    ['denied', 'denied', 'it is already denied'],
    ['pending', 'pending', 'you have already answered it otherwise'],
    [undefined, 'pending', 'you have already answered it otherwise'],
  ] as const)('another word than the one that stands is a conflict (%s)', (stored, said, why) => {
    const error = told('conflict', stored);
    expect(error).toEqual(new ApprovalConflictError('a1', said, why));
    expect(error?.message).toContain(why);
  });
});
