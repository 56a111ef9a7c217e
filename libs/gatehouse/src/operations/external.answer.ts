import { ToolFailedError } from '../contracts/errors/tool-failed.error.js';
import { unansweredText } from '../failure/model.texts.js';
import type { Operation } from './operation.js';
import type { Ending } from './passage.js';

/** What settles a call that was handed on: the result that was given from outside, once there is one. It stands whatever blocks or ends the response. */
export const externalAnswer = ({ deferral }: Pick<Operation, 'deferral'>): Ending | undefined => {
  if (deferral?.result === undefined) return undefined;
  const { status, outcome, content } = deferral.result;
  return {
    status,
    outcome,
    content,
    decidedBy: 'external',
    reason: `answered by ${deferral.answeredBy}`,
    error: outcome === 'failed' ? new ToolFailedError(content) : undefined,
  };
};

/** What settles one whose run ended before its result came: that it was handed on stands, and nobody here knows whether it happened. */
export const unanswered = ({ deferral }: Pick<Operation, 'deferral'>): Ending | undefined =>
  deferral === undefined
    ? undefined
    : {
        status: 'deferred',
        outcome: 'skipped',
        decidedBy: 'middleware',
        content: unansweredText(),
        reason: 'the run ended before its result came',
      };
