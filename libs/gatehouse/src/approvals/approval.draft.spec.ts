import type { ApprovalPolicy } from '../contracts/approval.policy.js';
import type { NewApproval } from '../contracts/ports/stored.approval.js';
import type { RedactionOptions } from '../contracts/redaction.options.js';
import type { ToolDefinition } from '../contracts/tool.definition.js';
import { Redactor } from '../values/redactor.js';
import { draftApproval } from './approval.draft.js';
import { hiddenValues } from './hidden.values.js';

function draft(args: object, approval?: ApprovalPolicy, redaction: RedactionOptions = {}): NewApproval {
  const text = JSON.stringify(args);
  return draftApproval(
    {
      call: {
        runId: 'r1',
        threadId: 't1',
        operationId: 'o1',
        toolCallId: 'c1',
        user: { id: 'u1' },
        organizationId: 'acme',
      },
      tool: { name: 'refund', fingerprint: 'f1', approval } as ToolDefinition,
      received: text,
      validated: text,
      argumentsDigest: 'd1',
      args,
    },
    { approvals: { expiresIn: 900_000, executeWithin: 600_000 }, redactor: new Redactor(redaction) },
  );
}

describe('draftApproval', () => {
  it('is complete, with the defaults of the application', () => {
    const { id, ...rest } = draft({ order: 7 });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toEqual({
      runId: 'r1',
      threadId: 't1',
      operationId: 'o1',
      toolCallId: 'c1',
      toolName: 'refund',
      toolFingerprint: 'f1',
      received: '{"order":7}',
      validated: '{"order":7}',
      argumentsDigest: 'd1',
      shown: { order: 7 },
      hidden: [],
      summary: undefined,
      risk: undefined,
      organizationId: 'acme',
      requestedBy: 'u1',
      approvers: {},
      editable: [],
      expiresInMs: 900_000,
      executeWithinMs: 600_000,
    });
  });

  it('takes the policy of the tool', () => {
    const policy: ApprovalPolicy = {
      approvers: { roles: ['finance'] },
      expiresIn: '1h',
      executeWithin: 5000,
      editable: ['amount'],
      risk: 'high',
      summary: (args) => `Refund ${String((args as { amount: number }).amount)}`,
    };
    expect(draft({ amount: 5 }, policy)).toMatchObject({
      approvers: { roles: ['finance'] },
      expiresInMs: 3_600_000,
      executeWithinMs: 5000,
      editable: ['amount'],
      risk: 'high',
      summary: 'Refund 5',
    });
  });

  it('names what is hidden, by JSON pointer', () => {
    const drafted = draft(
      { card: { cvv: '123', 'a/b': 'pan 4111111111111111' }, list: [{ token: 't' }, 1] },
      undefined,
      {
        valuePatterns: [/\d{16}/],
      },
    );
    expect(drafted.shown).toEqual({
      card: { cvv: '[redacted]', 'a/b': 'pan [redacted]' },
      list: [{ token: '[redacted]' }, 1],
    });
    expect(drafted.hidden).toEqual(['/card/cvv', '/card/a~1b', '/list/0/token']);
    expect(drafted.validated).toContain('"cvv":"123"');
  });

  it('a name that a pattern hides does not come back in the pointer', () => {
    const { hidden } = draft({ '4111111111111111': true }, undefined, { valuePatterns: [/\d{16}/] });
    expect(hidden).toEqual(['/[redacted]']);
  });

  it('lists at most 200 places, then the whole', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, { secret: 1 }]));
    const { hidden } = draft(many);
    expect(hidden).toHaveLength(201);
    expect(hidden.at(-1)).toBe('');
  });

  it.each<[string, () => unknown, string | undefined]>([
    ['one line, escaped', () => 'Refund\n\u202E5 EUR\u200B', 'Refund\\u{a}\\u{202e}5 EUR\\u{200b}'],
    ['at most 300 characters', () => 'x'.repeat(400), `${'x'.repeat(272)} [truncated: 400 characters]`],
    ['nothing for a blank', () => '  ', undefined],
    ['nothing for no text', () => 42, undefined],
    ['nothing for a promise, whatever becomes of it', () => Promise.reject(new Error('late')), undefined],
    [
      'nothing for a throw',
      () => {
        throw new Error('oops');
      },
      undefined,
    ],
  ])('a summary is %s', async (_, summary, expected) => {
    expect(draft({}, { summary: summary as ApprovalPolicy['summary'] }).summary).toBe(expected);
    // An unhandled rejection would fail this file.
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('a summary is redacted by the patterns of the host', () => {
    const summary = (): string => 'card 4111111111111111';
    expect(draft({}, { summary }, { valuePatterns: [/\d{16}/] }).summary).toBe('card [redacted]');
  });
});

describe('hiddenValues', () => {
  it('tells what was cut from what was redacted', () => {
    const exact = { a: 'secret', b: 'x'.repeat(50), c: [1, 2, 3], d: 1, e: 'same [truncated: 9 characters]' };
    const shown = {
      a: '[redacted]',
      b: 'xx[truncated: 50 characters]',
      c: [1, '[truncated: 2 of 3 items]'],
      e: exact.e,
    };
    expect(hiddenValues(exact, shown)).toEqual([
      { pointer: '/a', cut: false },
      { pointer: '/b', cut: true },
      { pointer: '/c/1', cut: true },
      { pointer: '/c/2', cut: true },
      { pointer: '/d', cut: true },
    ]);
  });

  it('a whole that is hidden is the empty pointer', () => {
    expect(hiddenValues({ a: 1 }, '[redacted]')).toEqual([{ pointer: '', cut: false }]);
  });
});
