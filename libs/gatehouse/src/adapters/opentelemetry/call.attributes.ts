import type { Attributes } from '@opentelemetry/api';
import type { TracedCall, TracedEnd } from '../../contracts/ports/trace.context.js';
import { ledgerName } from '../../values/ledger/ledger.name.js';
import { errorType } from './error.type.js';
import {
  DECIDED_BY,
  ERROR_TYPE,
  OPERATION_ID,
  OPERATION_NAME,
  RUN_ID,
  STATUS,
  TOOL_ARGUMENTS,
  TOOL_CALL_ID,
  TOOL_DESCRIPTION,
  TOOL_NAME,
  TOOL_RESULT,
  TOOL_TYPE,
} from './names.js';

// A model may propose any text as a name, and spans are grouped by theirs.
const PLAIN_NAME = /^[\w.:-]{1,128}$/;

export const callSpanName = (toolName: string): string =>
  PLAIN_NAME.test(toolName) ? `execute_tool ${toolName}` : 'execute_tool';

export const callAttributes = (call: TracedCall, content: boolean): Attributes => ({
  [OPERATION_NAME]: 'execute_tool',
  [TOOL_NAME]: ledgerName(call.toolName),
  [TOOL_CALL_ID]: ledgerName(call.toolCallId),
  [TOOL_TYPE]: 'function',
  [RUN_ID]: call.runId,
  [OPERATION_ID]: call.operationId,
  ...(call.description === undefined ? {} : { [TOOL_DESCRIPTION]: call.description }),
  ...(content ? { [TOOL_ARGUMENTS]: call.arguments() } : {}),
});

export const callEndAttributes = (end: TracedEnd, content: boolean): Attributes => ({
  ...decisionAttributes(end),
  ...failure(end),
  ...(content && end.result !== undefined ? { [TOOL_RESULT]: end.result() } : {}),
});

/** What was decided and by whom; why is free text, and no matter for a trace. */
export const decisionAttributes = ({ status, decidedBy }: TracedEnd): Attributes => ({
  [STATUS]: status,
  ...(decidedBy === undefined ? {} : { [DECIDED_BY]: decidedBy }),
});

/** A refusal says which; what failed is known by the class of what was thrown. */
const failure = ({ status, error }: TracedEnd): Attributes => {
  if (NO_FAILURE.has(status)) return {};
  if (status !== 'failed') return { [ERROR_TYPE]: status };
  return { [ERROR_TYPE]: error === undefined ? '_OTHER' : errorType(error) };
};

const NO_FAILURE: ReadonlySet<TracedEnd['status']> = new Set([
  'completed',
  'stubbed',
  'redirected',
  'deferred',
  'waiting',
]);
