import type { AnnouncedApproval, AnnouncedDeferral, RunEvent, RunFrame } from '../../contracts/run.events.js';
import type { JsonObject, JsonValue } from '../../contracts/json.js';
import type { SegmentUsage } from '../../contracts/usage.js';
import { isObject } from '../http/fields.js';
import type { WireRun } from '../stream.protocol.js';
import type { AgUiEvent } from './ag-ui.event.js';
import { subagentFinished, subagentStarted } from './subagent.events.js';
import { tokenUsage } from './token.usage.js';

/** One stored frame as the JSON text of one AG-UI 1.0 event; nothing where AG-UI has no word for it. */
export function encodeFrame(frame: RunFrame, run: WireRun): string | undefined {
  const event = toAgUi(frame.event, run);
  return event === undefined ? undefined : JSON.stringify(event);
}

/** The JSON text of a `RUN_ERROR`: for what went wrong before, or beside, a run. */
export function encodeError(message: string, code: string): string {
  return JSON.stringify({ type: 'RUN_ERROR', message, code } satisfies AgUiEvent);
}

function toAgUi(event: RunEvent, run: WireRun): AgUiEvent | undefined {
  switch (event.type) {
    case 'run.started':
      return {
        type: 'RUN_STARTED',
        threadId: event.threadId,
        runId: event.segment,
        protocolVersion: '1.0',
        metadata: { gatehouse: { runId: event.runId } },
      };
    case 'step.started':
      return { type: 'STEP_STARTED', stepName: stepName(event.step) };
    case 'step.finished':
      return { type: 'STEP_FINISHED', stepName: stepName(event.step) };
    case 'text.start':
      return { type: 'TEXT_MESSAGE_START', messageId: event.messageId, role: 'assistant' };
    case 'text.delta':
      return { type: 'TEXT_MESSAGE_CONTENT', messageId: event.messageId, delta: event.delta };
    case 'text.end':
      return { type: 'TEXT_MESSAGE_END', messageId: event.messageId };
    case 'reasoning.start':
      return { type: 'REASONING_MESSAGE_START', messageId: event.messageId, role: 'reasoning' };
    case 'reasoning.delta':
      return { type: 'REASONING_MESSAGE_CONTENT', messageId: event.messageId, delta: event.delta };
    case 'reasoning.end':
      return { type: 'REASONING_MESSAGE_END', messageId: event.messageId };
    case 'tool.start':
      return {
        type: 'TOOL_CALL_START',
        toolCallId: event.toolCallId,
        toolCallName: event.toolName,
        parentMessageId: event.messageId,
        metadata: { gatehouse: { operationId: event.operationId } },
      };
    case 'tool.args':
      return { type: 'TOOL_CALL_ARGS', toolCallId: event.toolCallId, delta: event.delta };
    case 'tool.end':
      return { type: 'TOOL_CALL_END', toolCallId: event.toolCallId };
    case 'tool.result':
      return {
        type: 'TOOL_CALL_RESULT',
        messageId: event.messageId,
        toolCallId: event.toolCallId,
        content: event.content,
        role: 'tool',
        metadata: { gatehouse: { operationId: event.operationId, status: event.status, outcome: event.outcome } },
      };
    case 'state.snapshot':
      return { type: 'STATE_SNAPSHOT', snapshot: event.state };
    case 'state.delta':
      return { type: 'STATE_DELTA', delta: [...event.patch] };
    case 'child.started':
      return subagentStarted(event);
    case 'child.finished':
      return subagentFinished(event);
    case 'custom':
      return { type: 'CUSTOM', name: event.name, value: event.value };
    case 'run.suspended':
      return suspended(run, event);
    case 'run.finished':
      return finished(run, event, { ...result(event.output), outcome: { type: 'success' } });
    case 'run.cancelled':
      return finished(run, event, {
        outcome: { type: 'cancelled' },
        metadata: { gatehouse: { runId: run.runId, source: event.source, reason: event.reason } },
      });
    case 'run.failed':
      return { type: 'RUN_ERROR', message: event.message, code: event.code, ...tokenUsage(event.usage) };
  }
}

type Finished = Extract<AgUiEvent, { type: 'RUN_FINISHED' }>;

const finished = (
  run: WireRun,
  { segment, usage }: { readonly segment: string; readonly usage?: SegmentUsage },
  rest: Pick<Finished, 'outcome' | 'result' | 'metadata'>,
): Finished => ({
  type: 'RUN_FINISHED',
  threadId: run.threadId,
  runId: segment,
  ...rest,
  ...tokenUsage(usage),
});

const stepName = (step: number): string => `step-${step}`;

// A null result draws a deprecation warning from the client; absent says the same.
const result = (output: JsonValue): { result?: JsonValue } => (output === null ? {} : { result: output });

// What waits for people comes first; once they have answered, the rest is what is waited for.
/** AG-UI knows no wait for nobody: a run whose last answer had come when its process was lost goes on elsewhere. */
function suspended(run: WireRun, event: Extract<RunEvent, { type: 'run.suspended' }>): AgUiEvent {
  const interrupts = interruptsOf(event);
  if (interrupts.length > 0) return finished(run, event, { outcome: { type: 'interrupt', interrupts } });
  return { type: 'RUN_ERROR', message: MOVES, code: 'run_moves', ...tokenUsage(event.usage) };
}

const MOVES = 'The process that ran this is gone. The run goes on: attach again.';

const interruptsOf = ({ approvals, deferred = [] }: Extract<RunEvent, { type: 'run.suspended' }>) =>
  approvals.length > 0 ? approvals.map(toInterrupt) : deferred.map(toExternal);

const EXTERNAL_RESULT: JsonObject = {
  type: 'object',
  properties: {
    result: { description: 'What the call came to.' },
    error: { type: 'string', description: 'Why it came to nothing, in words for the model.' },
  },
  oneOf: [{ required: ['result'] }, { required: ['error'] }],
};

function toExternal({ operationId, toolCallId, toolName, metadata }: AnnouncedDeferral) {
  return {
    id: operationId,
    reason: 'external_result',
    toolCallId,
    message: `Waits for the result of ${toolName}.`,
    responseSchema: EXTERNAL_RESULT,
    metadata: { gatehouse: { toolName, deferred: metadata } },
  };
}

function toInterrupt(approval: AnnouncedApproval) {
  const { id, toolCallId, message, expiresAt, toolName, argumentsDigest, risk } = approval;
  return {
    id,
    reason: 'tool_call',
    toolCallId,
    message,
    expiresAt,
    responseSchema: schemaOf(approval.responseSchema),
    metadata: { gatehouse: { toolName, argumentsDigest, ...(risk === undefined ? {} : { risk }) } },
  };
}

// The wire wants an object here; `true` is what a schema says that allows everything.
const schemaOf = (schema: JsonValue): JsonObject => (isObject(schema) ? schema : {});
