import type { NewVote, VoteVerdict } from '../contracts/ports/stored.approval.js';
import type { ApprovalStatus } from '../contracts/statuses.js';

/** What a vote is judged against: the approval as it stands, after its deadline was looked at. */
export interface JudgedApproval {
  readonly status: ApprovalStatus;
  readonly argumentsDigest: string;
  readonly editedDigest?: string;
  readonly quorum: number;
  readonly votes: readonly { readonly principalId: string; readonly approved: boolean }[];
}

/** What one vote is worth; both stores decide by this. */
export function judgeVote(approval: JudgedApproval, vote: NewVote): VoteVerdict {
  if (approval.status === 'expired') return 'expired';
  if (approval.status === 'cancelled' || approval.status === 'superseded') return 'conflict';
  if (!digestFits(approval, vote)) return 'digest';
  if (approval.status !== 'pending') return isSameAnswer(approval, vote) ? 'repeated' : 'conflict';
  const before = approval.votes.find(({ principalId }) => principalId === vote.principalId);
  if (before === undefined) return 'recorded';
  return before.approved === vote.approved ? 'repeated' : 'conflict';
}

/** What a counted vote decides; nothing while more people are needed. One denial ends it. */
export function decisionOf(approval: JudgedApproval, vote: NewVote): 'approved' | 'denied' | undefined {
  if (!vote.approved) return 'denied';
  const approving = approval.votes.filter(({ approved }) => approved).length + 1;
  return approving >= approval.quorum ? 'approved' : undefined;
}

/** The verdicts of all votes of one transaction, each judged as if those before it were counted. */
export function judgeVotes(approvals: ReadonlyMap<string, JudgedApproval>, votes: readonly NewVote[]): VoteVerdict[] {
  const standing = new Map(approvals);
  return votes.map((vote) => {
    const approval = standing.get(vote.approvalId);
    if (approval === undefined) return 'unknown';
    const verdict = judgeVote(approval, vote);
    if (verdict === 'recorded') standing.set(vote.approvalId, afterVote(approval, vote));
    return verdict;
  });
}

function afterVote(approval: JudgedApproval, vote: NewVote): JudgedApproval {
  const decision = decisionOf(approval, vote);
  return {
    ...approval,
    status: decision ?? approval.status,
    ...(decision === 'approved' && vote.edited !== undefined ? { editedDigest: vote.edited.argumentsDigest } : {}),
    votes: [...approval.votes, { principalId: vote.principalId, approved: vote.approved }],
  };
}

/** Whether a verdict lets the other votes of its transaction stand. */
export const isAcceptable = (verdict: VoteVerdict): boolean => verdict === 'recorded' || verdict === 'repeated';

// Who repeats an edit still names the digest that was shown, so both stay good.
function digestFits(approval: JudgedApproval, vote: NewVote): boolean {
  return (
    vote.argumentsDigest === undefined ||
    vote.argumentsDigest === approval.argumentsDigest ||
    vote.argumentsDigest === approval.editedDigest
  );
}

function isSameAnswer(approval: JudgedApproval, vote: NewVote): boolean {
  if (vote.approved !== (approval.status !== 'denied')) return false;
  if (!vote.approved) return true;
  const meant = vote.edited?.argumentsDigest ?? vote.argumentsDigest;
  return meant === undefined ? true : meant === (approval.editedDigest ?? approval.argumentsDigest);
}
