import type { Attributes } from '@opentelemetry/api';
import type { TracedRun } from '../../contracts/ports/trace.context.js';
import type { RunOutcome } from '../../contracts/run.js';
import { ledgerName } from '../../values/ledger/ledger.name.js';
import { errorType } from './error.type.js';
import {
  AGENT_NAME,
  CONVERSATION_ID,
  ERROR_TYPE,
  INPUT_TOKENS,
  OPERATION_NAME,
  OUTPUT_TOKENS,
  PARENT_RUN_ID,
  RUN_ID,
  STATUS,
} from './names.js';

export const runSpanName = (agent: string): string => `invoke_agent ${ledgerName(agent)}`;

export const runAttributes = ({ agent, threadId, runId, parentRunId }: TracedRun): Attributes => ({
  [OPERATION_NAME]: 'invoke_agent',
  [AGENT_NAME]: ledgerName(agent),
  [CONVERSATION_ID]: ledgerName(threadId),
  [RUN_ID]: runId,
  ...(parentRunId === undefined ? {} : { [PARENT_RUN_ID]: parentRunId }),
});

export const runEndAttributes = (outcome: RunOutcome, usage: ReturnType<TracedRun['usage']>): Attributes => ({
  [STATUS]: outcome.status,
  ...(usage === undefined ? {} : { [INPUT_TOKENS]: usage.inputTokens, [OUTPUT_TOKENS]: usage.outputTokens }),
  ...failure(outcome),
});

/** What somebody ended, and what was lost, says so; whatever else went wrong is known by its class. */
const failure = (outcome: RunOutcome): Attributes => {
  if (outcome.status === 'completed' || outcome.status === 'suspended') return {};
  const thrown = outcome.status === 'failed' || outcome.status === 'raised';
  return { [ERROR_TYPE]: thrown ? errorType(outcome.error) : outcome.status };
};
