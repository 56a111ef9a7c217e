import type { RedactionOptions } from '../contracts/redaction.options.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { RetryBudgetExceededError } from '../contracts/errors/retry-budget-exceeded.error.js';
import { ToolFailedError } from '../contracts/errors/tool-failed.error.js';
import { ToolRetryError } from '../contracts/errors/tool-retry.error.js';
import { Redactor } from '../values/redactor.js';
import { MAX_REPR_BYTES } from './arguments-repr.js';
import { NoTraces } from './no.traces.js';
import { AuditEventFactory, type ExecutionFacts, type ToolExecution } from './audit.event.factory.js';

const FACTS: ExecutionFacts = Object.freeze({
  runId: 'r1',
  threadId: 't1',
  startedAt: new Date('2026-11-30T10:00:00.000Z'),
  finishedAt: new Date('2026-11-30T10:00:00.012Z'),
  durationMs: 12.34,
});
const LOOKUP: ToolExecution = Object.freeze({
  ...FACTS,
  toolName: 'lookup',
  operationId: 'o1',
  argumentsRepr: '{"n":0}',
  outcome: { value: 'found' },
});

function factory(
  redaction: RedactionOptions = {},
  defaults: ResolvedOptions['audit']['defaults'] = {},
): AuditEventFactory {
  return new AuditEventFactory(new Redactor(redaction), { audit: { defaults } } as ResolvedOptions, new NoTraces());
}

const failing = (error: unknown) => factory().toolEvent({ ...LOOKUP, outcome: { error } });

class ValueError extends Error {}
class KeyError extends Error {}

describe('records of started methods', () => {
  it('[103] of a success', () => {
    const { id, ...event } = factory().toolEvent(LOOKUP);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(event).toEqual({
      kind: 'tool',
      toolName: 'lookup',
      argumentsRepr: '{"n":0}',
      durationMs: 12.34,
      success: true,
      error: null,
      resultSize: 5,
      organizationId: null,
      targetType: null,
      targetId: null,
      ipAddress: null,
      runId: 'r1',
      threadId: 't1',
      operationId: 'o1',
      principalId: null,
      late: false,
      startedAt: FACTS.startedAt,
      finishedAt: FACTS.finishedAt,
    });
  });

  it('[104] keys are sorted; [105] no arguments are {}', () => {
    expect(factory().argumentsText({ b: 1, a: 2 })).toBe('{"a":2,"b":1}');
    expect(factory().argumentsText(undefined)).toBe('{}');
  });

  it('[107] of a failure: class and message, no size', () => {
    expect(failing(new ValueError('kaboom'))).toMatchObject({
      success: false,
      error: 'ValueError: kaboom',
      resultSize: null,
    });
  });

  it.each([
    [
      '[109] the error thrown, not its cause',
      new ValueError('outer', { cause: new KeyError('inner') }),
      'ValueError: outer',
    ],
    ['[110] a failed result of the tool', new ToolFailedError('model copy'), 'ToolFailedError: model copy'],
    ['[116] a retry signal', new ToolRetryError('n must be positive'), 'ToolRetryError: n must be positive'],
    [
      '[117] a spent budget',
      new RetryBudgetExceededError('boom', 0),
      "RetryBudgetExceededError: Tool 'boom' exceeded max retries count of 0",
    ],
    ['a thrown undefined', undefined, 'NonError: undefined'],
  ])('%s', (_, error, text) => {
    expect(failing(error).error).toBe(text);
  });

  it('[125] an object counts as its JSON, nothing as 0', () => {
    expect(factory().toolEvent({ ...LOOKUP, outcome: { value: { a: 1 } } }).resultSize).toBe(7);
    expect(factory().toolEvent({ ...LOOKUP, outcome: { value: undefined } }).resultSize).toBe(0);
  });

  it('[127] [128] defaults fill gaps, and only gaps', () => {
    const withDefaults = factory({}, { ipAddress: '10.0.0.7', organizationId: 'acme' });
    expect(withDefaults.toolEvent(LOOKUP)).toMatchObject({ ipAddress: '10.0.0.7', organizationId: 'acme' });
    expect(withDefaults.toolEvent({ ...LOOKUP, ipAddress: '203.0.113.9', organizationId: 'b' })).toMatchObject({
      ipAddress: '203.0.113.9',
      organizationId: 'b',
    });
  });

  it('[129] is frozen', () => {
    const event = factory().toolEvent(LOOKUP);
    expect(() => Object.assign(event, { success: false })).toThrow(TypeError);
  });

  it('[130] hostile arguments are marked, never thrown', () => {
    const cyclic: Record<string, unknown> = { toJSON: undefined, n: 10n };
    cyclic['self'] = cyclic;
    expect(factory().argumentsText(cyclic)).toBe('{"n":"10","self":"[circular]"}');
    const throwing = {
      toJSON() {
        throw new Error('trap');
      },
    };
    expect(factory().argumentsText(throwing)).toBe('"[unreadable]"');
  });

  it('[353] secrets are hidden by key, and by the patterns of the host in the error too', () => {
    const events = factory({ valuePatterns: [/\d{16}/] });
    const argumentsRepr = events.argumentsText({ password: 'hunter2', note: 'card 4111111111111111' });
    const outcome = { error: new ValueError('card 4111111111111111 refused') };
    const event = events.toolEvent({ ...LOOKUP, argumentsRepr, outcome });
    expect(event.argumentsRepr).toBe('{"note":"card [redacted]","password":"[redacted]"}');
    expect(event.error).toBe('ValueError: card [redacted] refused');
  });

  it('arguments are at most 64 KiB, and what is cut says so', () => {
    let deep: unknown = 'x'.repeat(200_000);
    for (let level = 0; level < 70; level++) deep = { [`k${level}`]: deep, list: [1, 2, 3] };
    for (const args of [{ text: 'ü"'.repeat(100_000) }, { list: Array.from({ length: 50_000 }, (_, i) => i) }, deep]) {
      const argumentsRepr = factory().argumentsText(args);
      expect(Buffer.byteLength(argumentsRepr)).toBeLessThanOrEqual(MAX_REPR_BYTES);
      expect(argumentsRepr).toContain('[truncated');
      expect(() => JSON.parse(argumentsRepr) as unknown).not.toThrow();
    }
  });

  it('names target, principal and lateness', () => {
    const event = factory().toolEvent({
      ...LOOKUP,
      target: { type: 'order', id: '42' },
      principalId: 'u1',
      late: true,
    });
    expect(event).toMatchObject({ targetType: 'order', targetId: '42', principalId: 'u1', late: true });
  });
});

describe('records of runs that did not end well', () => {
  it('[226] of a disconnect', () => {
    const { id, ...event } = factory().runEvent({
      ...FACTS,
      principalId: 'u1',
      end: { status: 'cancelled', source: 'client disconnected' },
    });
    expect(id).toHaveLength(36);
    expect(event).toEqual({
      kind: 'run',
      toolName: 'agent.run',
      argumentsRepr: '{"runId":"r1","threadId":"t1"}',
      durationMs: 12.34,
      success: false,
      error: 'cancelled: client disconnected',
      resultSize: null,
      organizationId: null,
      targetType: null,
      targetId: null,
      ipAddress: null,
      runId: 'r1',
      threadId: 't1',
      operationId: null,
      principalId: 'u1',
      late: false,
      startedAt: FACTS.startedAt,
      finishedAt: FACTS.finishedAt,
    });
  });

  it.each([
    ['cancelled: requested: changed my mind', { status: 'cancelled', source: 'requested', reason: 'changed my mind' }],
    ['run failed: kaboom', { status: 'failed', error: new ValueError('kaboom') }],
    ['run failed: stop', { status: 'aborted', error: new ValueError('stop') }],
    ['run failed: no', { status: 'raised', error: new ValueError('no') }],
    ['interrupted: process lost', { status: 'interrupted' }],
  ] as const)('%s', (text, end) => {
    expect(factory().runEvent({ ...FACTS, end }).error).toBe(text);
  });
});
