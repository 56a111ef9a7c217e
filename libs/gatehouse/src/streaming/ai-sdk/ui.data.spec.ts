import type { RunEvent } from '../../contracts/run.events.js';
import { ChunkEncoder } from './chunk.encoder.js';

const STARTED: RunEvent = { type: 'run.started', runId: 'run-1', threadId: 't', segment: 's' };
const BEGIN = { type: 'start', messageId: 'run-1' };

const told = (events: readonly RunEvent[]): unknown[] => {
  const encoder = new ChunkEncoder(1);
  const texts = events.flatMap((event, at) => encoder.encode({ seq: 1 + at, event }));
  return texts.map((text) => (text === '[DONE]' ? text : (JSON.parse(text) as unknown)));
};

describe('beside the conversation, a UI message stream tells', () => {
  it('the state: one data part, told anew, as a whole, with each change', () => {
    const state = { order: 7, lines: ['a'] };
    const events: RunEvent[] = [
      STARTED,
      { type: 'state.snapshot', state },
      { type: 'state.delta', patch: [{ op: 'add', path: '/lines/-', value: 'b' }] },
      { type: 'state.delta', patch: [{ op: 'remove', path: '/order' }] },
    ];
    const expected = [
      BEGIN,
      { type: 'data-state', id: 'state', data: { order: 7, lines: ['a'] } },
      { type: 'data-state', id: 'state', data: { order: 7, lines: ['a', 'b'] } },
      { type: 'data-state', id: 'state', data: { lines: ['a', 'b'] } },
    ];
    expect(told(events)).toEqual(expected);
    // What one stream makes of an event must not reach another that reads the same event.
    expect(told(events)).toEqual(expected);
  });

  it('a run that a call starts: one data part, by its id', () => {
    const child = { runId: 'run-2', agent: 'researcher', toolCallId: 'c' };
    expect(
      told([
        STARTED,
        { type: 'child.started', operationId: 'o', ...child },
        { type: 'child.finished', runId: 'run-2', status: 'failed' },
        { type: 'child.finished', runId: 'never told', status: 'failed' },
      ]),
    ).toEqual([
      BEGIN,
      { type: 'data-child', id: 'run-2', data: { ...child, status: 'running' } },
      { type: 'data-child', id: 'run-2', data: { ...child, status: 'failed' } },
    ]);
  });

  it('what the whole run has used: metadata of its message, whichever way it ends', () => {
    const run = { requests: 2, toolCalls: 1, inputTokens: 20, outputTokens: 6 };
    const ended = { segment: 's', usage: { inputTokens: 10, outputTokens: 3, childTokens: 0, run } };
    const messageMetadata = { usage: run };
    const finish = [{ type: 'finish', messageMetadata }, '[DONE]'];
    expect(told([STARTED, { type: 'run.finished', ...ended, output: null }])).toEqual([BEGIN, ...finish]);
    expect(told([STARTED, { type: 'run.suspended', ...ended, approvals: [] }])).toEqual([BEGIN, ...finish]);
    expect(told([STARTED, { type: 'run.cancelled', ...ended, source: 'requested', reason: '' }])).toEqual([
      BEGIN,
      { type: 'message-metadata', messageMetadata },
      { type: 'abort' },
      '[DONE]',
    ]);
    expect(told([STARTED, { type: 'run.failed', ...ended, message: 'No.', code: 'failed' }])).toEqual([
      BEGIN,
      { type: 'message-metadata', messageMetadata },
      { type: 'error', errorText: 'No.' },
      '[DONE]',
    ]);
  });
});
