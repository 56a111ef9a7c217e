import type { AnnouncedApproval, RunEvent } from '../../contracts/run.events.js';
import { ChunkEncoder, encodeUiError } from './chunk.encoder.js';

const STARTED: RunEvent = { type: 'run.started', runId: 'run-1', threadId: 't', segment: 's' };
const FINISHED: RunEvent = { type: 'run.finished', segment: 's', output: null };

/** What a stream of these events holds; their `seq`s go on from `firstSeq`, or from 1 for one that tells the whole. */
const told = (events: readonly RunEvent[], firstSeq = 1, from = firstSeq): unknown[] => {
  const encoder = new ChunkEncoder(firstSeq);
  const texts = events.flatMap((event, at) => encoder.encode({ seq: from + at, event }));
  return texts.map((text) => (text === '[DONE]' ? text : (JSON.parse(text) as unknown)));
};

const start = (toolCallId: string): RunEvent[] => [
  { type: 'tool.start', toolCallId, toolName: 'refund', operationId: 'o', messageId: 'm' },
  { type: 'tool.args', toolCallId, delta: '{"order":' },
  { type: 'tool.args', toolCallId, delta: '7}' },
  { type: 'tool.end', toolCallId },
];

const result = (
  outcome: Extract<RunEvent, { type: 'tool.result' }>['outcome'],
  content = '',
  status: Extract<RunEvent, { type: 'tool.result' }>['status'] = outcome === 'success' ? 'completed' : 'failed',
): RunEvent => ({
  type: 'tool.result',
  toolCallId: 'c',
  toolName: 'refund',
  operationId: 'o',
  messageId: 'r',
  status,
  outcome,
  content,
});

const approval = (id: string, toolCallId: string): AnnouncedApproval => ({
  id,
  toolCallId,
  toolName: 'refund',
  message: 'Refund 7',
  argumentsDigest: 'd',
  expiresAt: '2026-01-01T00:00:00.000Z',
  risk: 'high',
  responseSchema: {},
});

const suspended = (...approvals: AnnouncedApproval[]): RunEvent => ({ type: 'run.suspended', segment: 's', approvals });

const BEGIN = { type: 'start', messageId: 'run-1' };

describe('the UI message stream of a run', () => {
  it('begins a step with the first word of an answer, and ends it with the stored step', () => {
    expect(
      told([
        STARTED,
        { type: 'reasoning.start', messageId: 'm' },
        { type: 'reasoning.delta', messageId: 'm', delta: 'hm' },
        { type: 'reasoning.end', messageId: 'm' },
        { type: 'text.start', messageId: 'm' },
        { type: 'text.delta', messageId: 'm', delta: 'hi\n\u2028' },
        { type: 'text.end', messageId: 'm' },
        { type: 'step.started', step: 1 },
        ...start('c'),
        result('success', '{"id":1}'),
        { type: 'step.finished', step: 1 },
        { type: 'step.started', step: 2 },
        { type: 'step.finished', step: 2 },
        FINISHED,
      ]),
    ).toEqual([
      BEGIN,
      { type: 'start-step' },
      { type: 'reasoning-start', id: 'm' },
      { type: 'reasoning-delta', id: 'm', delta: 'hm' },
      { type: 'reasoning-end', id: 'm' },
      { type: 'text-start', id: 'm' },
      { type: 'text-delta', id: 'm', delta: 'hi\n\u2028' },
      { type: 'text-end', id: 'm' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'refund' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'refund', input: { order: 7 } },
      { type: 'tool-output-available', toolCallId: 'c', output: { id: 1 } },
      { type: 'finish-step' },
      { type: 'start-step' },
      { type: 'finish-step' },
      { type: 'finish' },
      '[DONE]',
    ]);
  });

  it('never tells a piece of a text that is not open, whatever order an executor speaks in', () => {
    expect(
      told([
        STARTED,
        { type: 'text.end', messageId: 'a' },
        { type: 'text.delta', messageId: 'a', delta: '1' },
        { type: 'text.start', messageId: 'a' },
        { type: 'step.started', step: 1 },
        { type: 'step.finished', step: 1 },
        { type: 'text.delta', messageId: 'a', delta: '2' },
        FINISHED,
      ]).slice(1, -2),
    ).toEqual([
      { type: 'start-step' },
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: '1' },
      { type: 'text-end', id: 'a' },
      { type: 'finish-step' },
      { type: 'start-step' },
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: '2' },
      { type: 'text-end', id: 'a' },
      { type: 'finish-step' },
    ]);
  });

  it.each([
    ['', null],
    ['plain', 'plain'],
    ['007', '007'],
    ['true', 'true'],
    ['[1,{"a":"b"}]', [1, { a: 'b' }]],
    ['{"cut', '{"cut'],
  ])('the content %j is the output %j', (content, output) => {
    expect(told([STARTED, ...start('c'), result('success', content)]).at(-1)).toEqual({
      type: 'tool-output-available',
      toolCallId: 'c',
      output,
    });
  });

  it.each([
    ['failed', 'failed'],
    ['retry', 'failed'],
    ['skipped', 'skipped'],
    ['denied', 'rejected'],
    ['denied', 'denied'],
    ['denied', 'expired'],
  ] as const)(
    'a call that ends %s (%s) without a request is an output error with what the model reads',
    (outcome, status) => {
      expect(told([STARTED, ...start('c'), result(outcome, 'Not today.', status)]).at(-1)).toEqual({
        type: 'tool-output-error',
        toolCallId: 'c',
        errorText: 'Not today.',
      });
    },
  );

  it('arguments that are no JSON, or none, are still an input', () => {
    const call = (delta: string): RunEvent[] => [
      start('c')[0] ?? FINISHED,
      { type: 'tool.args', toolCallId: 'c', delta },
    ];
    const end: RunEvent = { type: 'tool.end', toolCallId: 'c' };
    const inputs = ['', '"[not JSON: 9 characters]"', '{"half'].map(
      (delta) => told([STARTED, ...call(delta), end]).at(-1) as { input: unknown },
    );
    expect(inputs.map(({ input }) => input)).toEqual([{}, '[not JSON: 9 characters]', '{"half']);
  });

  it('a suspension asks for each approval, by id and call alone, and finishes', () => {
    expect(told([STARTED, suspended(approval('a1', 'c1'), approval('a2', 'c2'))])).toEqual([
      BEGIN,
      { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
      { type: 'tool-approval-request', approvalId: 'a2', toolCallId: 'c2' },
      { type: 'finish' },
      '[DONE]',
    ]);
  });

  it('a suspension that waits for a result from outside asks nobody, and finishes', () => {
    const deferred = [{ operationId: 'o', toolCallId: 'c', toolName: 'print', metadata: {} }];
    expect(told([STARTED, { type: 'run.suspended', segment: 's', approvals: [], deferred }])).toEqual([
      BEGIN,
      { type: 'finish' },
      '[DONE]',
    ]);
  });

  it.each([
    ['denied', { type: 'tool-output-denied', toolCallId: 'c' }],
    ['expired', { type: 'tool-output-denied', toolCallId: 'c' }],
    ['rejected', { type: 'tool-output-error', toolCallId: 'c', errorText: 'No.' }],
  ] as const)(
    'a segment that continues has the same message, answers old calls, and begins no step for them: %s',
    (status, output) => {
      expect(
        told(
          [
            STARTED,
            { type: 'step.started', step: 1 },
            result('denied', 'No.', status),
            { type: 'step.finished', step: 1 },
            FINISHED,
          ],
          9,
        ),
      ).toEqual([BEGIN, output, { type: 'finish' }, '[DONE]']);
    },
  );

  it('told from the beginning, a continued message starts and finishes once, and asks nothing that was answered', () => {
    const first: RunEvent[] = [
      STARTED,
      { type: 'step.started', step: 1 },
      ...start('c'),
      { type: 'step.finished', step: 1 },
    ];
    const second = (answer: RunEvent): RunEvent[] => [
      suspended(approval('a1', 'c')),
      STARTED,
      { type: 'step.started', step: 1 },
      answer,
      { type: 'step.finished', step: 1 },
      FINISHED,
    ];
    const whole = (answer: RunEvent) => told([...first, ...second(answer)], first.length + 2, 1).slice(3);
    const input = { type: 'tool-input-available', toolCallId: 'c', toolName: 'refund', input: { order: 7 } };
    expect(whole(result('success', 'ok'))).toEqual([
      input,
      { type: 'finish-step' },
      { type: 'tool-output-available', toolCallId: 'c', output: 'ok' },
      { type: 'finish' },
      '[DONE]',
    ]);
    expect(whole(result('denied', 'No.', 'denied')).slice(2, 4)).toEqual([
      { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c' },
      { type: 'tool-output-denied', toolCallId: 'c' },
    ]);
  });

  it.each([
    [{ type: 'run.cancelled', segment: 's', source: 'requested', reason: 'enough' }, { type: 'abort' }],
    [
      { type: 'run.failed', segment: 's', message: 'The run failed.', code: 'failed' },
      { type: 'error', errorText: 'The run failed.' },
    ],
  ] as const)('closes what is open, and ends with what happened', (event, end) => {
    expect(told([STARTED, { type: 'text.start', messageId: 'm' }, event])).toEqual([
      BEGIN,
      { type: 'start-step' },
      { type: 'text-start', id: 'm' },
      { type: 'text-end', id: 'm' },
      { type: 'finish-step' },
      end,
      '[DONE]',
    ]);
  });

  it('custom events are data parts', () => {
    expect(told([STARTED, { type: 'custom', name: 'progress', value: { done: 3 } }]).at(-1)).toEqual({
      type: 'data-progress',
      data: { done: 3 },
    });
  });

  it('an error beside a run is a whole stream', () => {
    expect(encodeUiError('No.')).toEqual(['{"type":"error","errorText":"No."}', '[DONE]']);
  });
});
