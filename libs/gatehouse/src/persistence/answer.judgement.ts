import type { AnswerVerdict, DeferralStatus, NewAnswer } from '../contracts/ports/stored.deferral.js';

/** What a result is judged against. */
export interface JudgedDeferral {
  readonly status: DeferralStatus;
  readonly resultDigest?: string;
}

/** The verdicts of all results of one transaction, each judged as if those before it were kept; both stores decide by this. */
export function judgeAnswers(
  deferrals: ReadonlyMap<string, JudgedDeferral>,
  answers: readonly NewAnswer[],
): AnswerVerdict[] {
  const standing = new Map(deferrals);
  return answers.map(({ operationId, resultDigest }) => {
    const verdict = judged(standing.get(operationId), resultDigest);
    if (verdict === 'recorded') standing.set(operationId, { status: 'answered', resultDigest });
    return verdict;
  });
}

function judged(deferral: JudgedDeferral | undefined, resultDigest: string): AnswerVerdict {
  if (deferral === undefined) return 'unknown';
  if (deferral.status === 'closed') return 'closed';
  if (deferral.status === 'open') return 'recorded';
  return deferral.resultDigest === resultDigest ? 'repeated' : 'conflict';
}

/** Whether a verdict lets the other results of its transaction stand. */
export const isKept = (verdict: AnswerVerdict): boolean => verdict === 'recorded' || verdict === 'repeated';
