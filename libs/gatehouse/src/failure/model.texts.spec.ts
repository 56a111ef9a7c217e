import { InvalidArgumentsError } from '../contracts/errors/invalid-arguments.error.js';
import { Redactor } from '../values/redactor.js';
import * as texts from './model.texts.js';

const asIs = (text: string): string => text;

describe('what the model reads', () => {
  it('[183] of a failure without detail: the tool, the operation, and that it must not be repeated', () => {
    expect(texts.failureText('refund', 'o1')).toBe("Tool 'refund' failed (operation o1). Do not repeat this call.");
  });

  it('[46] [184] of a failure with detail: class and message, and no such instruction', () => {
    expect(texts.failureDetailText('refund', 'o1', new RangeError('bad'), asIs)).toBe(
      "Tool 'refund' failed (operation o1): RangeError: bad",
    );
  });

  it('[47] detail is at most 500 characters, the marker included', () => {
    const text = texts.failureDetailText('t', 'o1', new Error('x'.repeat(100_000)), asIs);
    const detail = text.slice("Tool 't' failed (operation o1): ".length);
    expect(detail).toHaveLength(500);
    expect(detail).toMatch(/^Error: x+ \[truncated: 100007 characters\]$/);
  });

  it('[60] a message that cannot be read costs only the message', () => {
    class Hostile extends Error {
      override get message(): string {
        throw new Error('trap');
      }
    }
    expect(texts.failureDetailText('t', 'o1', new Hostile(), asIs)).toBe(
      "Tool 't' failed (operation o1): Hostile: [unreadable message]",
    );
  });

  it('detail is redacted before it is cut', () => {
    const text = texts.failureDetailText('t', 'o1', new Error('key hunter2'), (t) =>
      t.replace('hunter2', '[redacted]'),
    );
    expect(text).toBe("Tool 't' failed (operation o1): Error: key [redacted]");
  });

  it('[28] of invalid arguments: the operation and every problem, 20 at most', () => {
    expect(
      texts.retryPromptText(new InvalidArgumentsError('lookup', ['n must be a number', 'm is missing']), 'o1'),
    ).toBe(
      "The arguments of 'lookup' were not accepted, so it did not run (operation o1): n must be a number; m is missing. " +
        'Correct them and call it again.',
    );
    const many = Array.from({ length: 23 }, (_, index) => `p${index}`);
    expect(texts.retryPromptText(new InvalidArgumentsError('lookup', many), 'o1')).toContain('p19; and 3 more.');
  });

  it('of an unknown tool: what is offered', () => {
    expect(texts.unknownToolText('lokup', ['lookup', 'refund'], 'o1')).toBe(
      "Tool 'lokup' does not exist. Offered: lookup, refund. Nothing ran (operation o1).",
    );
  });

  it('[6] [7] of a refusal: reason, guidance if there is one, ids, and that nothing started', () => {
    const facts = { reason: 'R', operationId: 'o1', runId: 'r1', step: 2 };
    expect(texts.rejectionText({ ...facts, guidance: 'G' })).toBe(
      '{"outcome":"denied","message":"R","guidance":"G","operationId":"o1","runId":"r1","step":2,"executionStarted":false}',
    );
    expect(JSON.parse(texts.rejectionText(facts))).not.toHaveProperty('guidance');
  });

  it.each([
    [undefined, 'The tool call was denied.'],
    ['  ', 'The tool call was denied.'],
    ['Too expensive.', 'Too expensive.'],
  ])('of a denial by a person with reason %p: %s', (reason, text) => {
    expect(texts.deniedText(reason)).toBe(text);
  });

  it('of a skipped call: what blocked it', () => {
    expect(texts.skippedText({ by: 'barrier', operationId: 'o1' })).toContain(
      'operation o1 of the same response blocked it',
    );
    expect(texts.skippedText({ by: 'limit' })).toBe('Skipped: the run reached a limit. It did not run.');
    expect(texts.skippedText({ by: 'cancel' })).toBe('Skipped: the run was cancelled. It did not run.');
  });
});

describe('contentOf', () => {
  const redactor = new Redactor();

  it.each([
    ['found', 'found'],
    ['', ''],
    [undefined, ''],
    [null, 'null'],
    [7, '7'],
    [{ b: 1, a: [true] }, '{"b":1,"a":[true]}'],
    [{ password: 'hunter2' }, '{"password":"[redacted]"}'],
    [10n, '10'],
  ])('of %p is %p', (value, content) => {
    expect(texts.contentOf(value, redactor)).toBe(content);
  });

  it('hides what the host has patterns for, in plain text too', () => {
    expect(texts.contentOf('card 4111111111111111', new Redactor({ valuePatterns: [/\d{16}/] }))).toBe(
      'card [redacted]',
    );
  });
});
