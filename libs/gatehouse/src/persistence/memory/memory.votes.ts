import type { NewVote, VoteResult, VotesResult } from '../../contracts/ports/stored.approval.js';
import { storableVote } from '../storable/storable.approval.js';
import { isAcceptable, judgeVotes } from '../vote.judgement.js';
import { countVote, expireOverdue, judged } from './memory.approvals.js';
import { waitsForSomebody } from './memory.deferrals.js';
import type { MemoryState } from './memory.state.js';
import { storedApproval } from './memory.views.js';

/** All votes or none; deadlines that have passed are marked in either case. */
export function voteAll(state: MemoryState, wanted: readonly NewVote[], now: Date): VotesResult {
  const votes = wanted.map(storableVote);
  const named = votes.flatMap((vote) => state.approvals.get(vote.approvalId) ?? []);
  expireOverdue(named, now);
  const verdicts = judgeVotes(new Map(named.map((approval) => [approval.asked.id, judged(approval)])), votes);
  const accepted = verdicts.every(isAcceptable);
  votes.forEach((vote, at) => {
    const approval = state.approvals.get(vote.approvalId);
    if (accepted && approval !== undefined && verdicts[at] === 'recorded') countVote(approval, vote, now);
  });
  const results = votes.map((vote, at): VoteResult => {
    const approval = state.approvals.get(vote.approvalId);
    return {
      verdict: verdicts[at] ?? 'unknown',
      ...(approval === undefined ? {} : { approval: storedApproval(approval) }),
    };
  });
  const runs = accepted ? [...new Set(named.map(({ asked }) => asked.runId))].sort() : [];
  const ready = runs.filter((id) => state.runs.get(id)?.status === 'suspended' && !waitsForSomebody(state, id));
  return { accepted, votes: results, ready };
}
