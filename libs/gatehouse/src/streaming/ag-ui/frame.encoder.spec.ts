import { EventSchemas } from '@ag-ui/core/schemas';

import type { RunEvent } from '../../contracts/run.events.js';
import { encodeError, encodeFrame } from './frame.encoder.js';

const run = { runId: 'run-1', threadId: 'thread-1' };
const encode = (event: RunEvent): unknown => JSON.parse(encodeFrame({ seq: 1, event }, run) ?? 'null');

const APPROVAL = {
  id: 'a1',
  toolCallId: 'c1',
  toolName: 'refund',
  message: 'Refund 5',
  argumentsDigest: 'd1',
  expiresAt: '2026-01-01T00:00:00.000Z',
  responseSchema: { type: 'object' },
};

const DEFERRED = { operationId: 'o2', toolCallId: 'c2', toolName: 'print', metadata: { queue: 'printers' } };

const TOKENS = {
  inputTokens: 10,
  outputTokens: 3,
  childTokens: 0,
  run: { requests: 2, toolCalls: 1, inputTokens: 20, outputTokens: 6 },
};

const EXPECTED: [RunEvent, object][] = [
  [
    { type: 'run.started', runId: 'run-1', threadId: 'thread-1', segment: 's1' },
    {
      type: 'RUN_STARTED',
      threadId: 'thread-1',
      runId: 's1',
      protocolVersion: '1.0',
      metadata: { gatehouse: { runId: 'run-1' } },
    },
  ],
  [
    { type: 'step.started', step: 2 },
    { type: 'STEP_STARTED', stepName: 'step-2' },
  ],
  [
    { type: 'step.finished', step: 2 },
    { type: 'STEP_FINISHED', stepName: 'step-2' },
  ],
  [
    { type: 'text.start', messageId: 'm1' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
  ],
  [
    { type: 'text.delta', messageId: 'm1', delta: 'hi\n\u2028' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'hi\n\u2028' },
  ],
  [
    { type: 'text.end', messageId: 'm1' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
  ],
  [
    { type: 'reasoning.start', messageId: 'r1' },
    { type: 'REASONING_MESSAGE_START', messageId: 'r1', role: 'reasoning' },
  ],
  [
    { type: 'reasoning.delta', messageId: 'r1', delta: 'hm' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r1', delta: 'hm' },
  ],
  [
    { type: 'reasoning.end', messageId: 'r1' },
    { type: 'REASONING_MESSAGE_END', messageId: 'r1' },
  ],
  [
    { type: 'tool.start', toolCallId: 'c1', toolName: 'refund', operationId: 'o1', messageId: 'm1' },
    {
      type: 'TOOL_CALL_START',
      toolCallId: 'c1',
      toolCallName: 'refund',
      parentMessageId: 'm1',
      metadata: { gatehouse: { operationId: 'o1' } },
    },
  ],
  [
    { type: 'tool.args', toolCallId: 'c1', delta: '{}' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{}' },
  ],
  [
    { type: 'tool.end', toolCallId: 'c1' },
    { type: 'TOOL_CALL_END', toolCallId: 'c1' },
  ],
  [
    {
      type: 'tool.result',
      toolCallId: 'c1',
      toolName: 'refund',
      operationId: 'o1',
      messageId: 't1',
      status: 'denied',
      outcome: 'denied',
      content: 'no',
    },
    {
      type: 'TOOL_CALL_RESULT',
      messageId: 't1',
      toolCallId: 'c1',
      content: 'no',
      role: 'tool',
      metadata: { gatehouse: { operationId: 'o1', status: 'denied', outcome: 'denied' } },
    },
  ],
  [
    { type: 'state.snapshot', state: { order: 7 } },
    { type: 'STATE_SNAPSHOT', snapshot: { order: 7 } },
  ],
  [
    {
      type: 'state.delta',
      patch: [
        { op: 'replace', path: '/order', value: 8 },
        { op: 'remove', path: '/note' },
      ],
    },
    {
      type: 'STATE_DELTA',
      delta: [
        { op: 'replace', path: '/order', value: 8 },
        { op: 'remove', path: '/note' },
      ],
    },
  ],
  [
    { type: 'child.started', runId: 'run-2', agent: 'researcher', operationId: 'o1', toolCallId: 'c1' },
    {
      type: 'SUBAGENT_STARTED',
      subagentRunId: 'run-2',
      name: 'researcher',
      parentToolCallId: 'c1',
      metadata: { gatehouse: { operationId: 'o1' } },
    },
  ],
  [
    { type: 'child.finished', runId: 'run-2', status: 'completed' },
    {
      type: 'SUBAGENT_FINISHED',
      subagentRunId: 'run-2',
      outcome: { type: 'success' },
      metadata: { gatehouse: { status: 'completed' } },
    },
  ],
  [
    { type: 'child.finished', runId: 'run-2', status: 'running' },
    {
      type: 'SUBAGENT_FINISHED',
      subagentRunId: 'run-2',
      outcome: { type: 'suspended' },
      metadata: { gatehouse: { status: 'running' } },
    },
  ],
  [
    { type: 'child.finished', runId: 'run-2', status: 'cancelled' },
    {
      type: 'SUBAGENT_ERROR',
      subagentRunId: 'run-2',
      message: 'The run of this subagent was cancelled.',
      code: 'cancelled',
    },
  ],
  [
    { type: 'custom', name: 'progress', value: { done: 1 } },
    { type: 'CUSTOM', name: 'progress', value: { done: 1 } },
  ],
  [
    { type: 'run.suspended', segment: 's1', approvals: [], deferred: [DEFERRED] },
    {
      type: 'RUN_FINISHED',
      threadId: 'thread-1',
      runId: 's1',
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: 'o2',
            reason: 'external_result',
            toolCallId: 'c2',
            message: 'Waits for the result of print.',
            responseSchema: {
              type: 'object',
              properties: {
                result: { description: 'What the call came to.' },
                error: { type: 'string', description: 'Why it came to nothing, in words for the model.' },
              },
              oneOf: [{ required: ['result'] }, { required: ['error'] }],
            },
            metadata: { gatehouse: { toolName: 'print', deferred: { queue: 'printers' } } },
          },
        ],
      },
    },
  ],
  [
    { type: 'run.suspended', segment: 's1', approvals: [APPROVAL], deferred: [DEFERRED] },
    {
      type: 'RUN_FINISHED',
      threadId: 'thread-1',
      runId: 's1',
      outcome: {
        type: 'interrupt',
        interrupts: [
          {
            id: 'a1',
            reason: 'tool_call',
            toolCallId: 'c1',
            message: 'Refund 5',
            expiresAt: '2026-01-01T00:00:00.000Z',
            responseSchema: { type: 'object' },
            metadata: { gatehouse: { toolName: 'refund', argumentsDigest: 'd1' } },
          },
        ],
      },
    },
  ],
  [
    { type: 'run.suspended', segment: 's1', approvals: [] },
    {
      type: 'RUN_ERROR',
      message: 'The process that ran this is gone. The run goes on: attach again.',
      code: 'run_moves',
    },
  ],
  [
    { type: 'run.finished', segment: 's1', output: 'done' },
    { type: 'RUN_FINISHED', threadId: 'thread-1', runId: 's1', result: 'done', outcome: { type: 'success' } },
  ],
  [
    { type: 'run.finished', segment: 's1', output: null },
    { type: 'RUN_FINISHED', threadId: 'thread-1', runId: 's1', outcome: { type: 'success' } },
  ],
  [
    { type: 'run.finished', segment: 's1', output: null, usage: { ...TOKENS, childTokens: 5 } },
    {
      type: 'RUN_FINISHED',
      threadId: 'thread-1',
      runId: 's1',
      outcome: { type: 'success' },
      usage: [{ inputTokens: 10, outputTokens: 3, totalTokens: 13 }, { totalTokens: 5 }],
    },
  ],
  [
    { type: 'run.failed', segment: 's1', message: 'The run failed.', code: 'failed', usage: TOKENS },
    {
      type: 'RUN_ERROR',
      message: 'The run failed.',
      code: 'failed',
      usage: [{ inputTokens: 10, outputTokens: 3, totalTokens: 13 }],
    },
  ],
  [
    { type: 'run.cancelled', segment: 's1', source: 'requested', reason: 'enough' },
    {
      type: 'RUN_FINISHED',
      threadId: 'thread-1',
      runId: 's1',
      outcome: { type: 'cancelled' },
      metadata: { gatehouse: { runId: 'run-1', source: 'requested', reason: 'enough' } },
    },
  ],
  [
    { type: 'run.failed', segment: 's1', message: 'The run failed.', code: 'failed' },
    { type: 'RUN_ERROR', message: 'The run failed.', code: 'failed' },
  ],
];

describe('encodeFrame', () => {
  it.each(EXPECTED)('$type is one valid AG-UI 1.0 event', (event, expected) => {
    expect(encode(event)).toEqual(expected);
    expect(EventSchemas.safeParse(encode(event)).error).toBeUndefined();
  });

  it('writes no line break into a frame, whatever the text holds', () => {
    expect(encodeFrame({ seq: 1, event: { type: 'text.delta', messageId: 'm', delta: 'a\r\nb\n' } }, run)).not.toMatch(
      /[\r\n]/,
    );
  });
});

it('encodeError is a RUN_ERROR', () => {
  expect(JSON.parse(encodeError('No.', 'run_conflict'))).toEqual({
    type: 'RUN_ERROR',
    message: 'No.',
    code: 'run_conflict',
  });
});
