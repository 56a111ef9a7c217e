import { Decide } from '../contracts/decisions/decide.js';
import { InspectionFailedError } from '../contracts/errors/inspection-failed.error.js';
import { OperationRejectedError } from '../contracts/errors/operation-rejected.error.js';
import { ToolRetryError } from '../contracts/errors/tool-retry.error.js';
import type { OperationRequest } from '../contracts/operation.js';
import type { OperationInspector, RunCommit } from '../contracts/roles.js';
import { InspectorChain, type NamedInspector } from './inspector.chain.js';
import { Inspector, inspectorOrder } from './inspector.decorator.js';

const REQUEST: OperationRequest = Object.freeze({
  operationId: 'o1',
  runId: 'r1',
  threadId: 't1',
  step: 1,
  position: 0,
  kind: 'tool',
  toolName: 'lookup',
  args: { n: 7 },
  argumentsDigest: 'd1',
  approved: false,
  state: {},
});

const COMMIT: RunCommit = Object.freeze({
  runId: 'r1',
  output: 4,
  outcome: 'return',
  failedOperations: [],
  usage: { requests: 1, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
  state: {},
});

const named = (name: string, role: OperationInspector): NamedInspector => ({ name, role });
const chain = (...inspectors: NamedInspector[]): InspectorChain => new InspectorChain(inspectors, 1000);
// What a plain program could return in spite of the types.
const returning = (value: unknown): OperationInspector => ({ inspectOperation: () => value as never });

async function failureOf(work: Promise<unknown>): Promise<InspectionFailedError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof InspectionFailedError) return error;
  throw new Error(`expected an InspectionFailedError, got ${String(error)}`);
}

describe('InspectorChain, operations', () => {
  it('accepts without any inspector, and counts none', async () => {
    expect(chain().size).toBe(0);
    expect(await chain().inspectOperation(REQUEST)).toEqual({ decision: { kind: 'accept' }, inspector: '' });
  });

  it('asks all in order with the very request until the first refusal, and names who refused', async () => {
    const asked: [string, OperationRequest][] = [];
    const asks = (name: string, decision = Decide.accept() as never): NamedInspector =>
      named(name, {
        inspectOperation(request) {
          asked.push([name, request]);
          return decision;
        },
      });
    const refusal = Decide.reject('No refunds.', 'Offer a voucher.');
    const verdict = await chain(asks('A'), asks('B', refusal as never), asks('C')).inspectOperation(REQUEST);
    expect(verdict.decision).toBe(refusal);
    expect(verdict.inspector).toBe('B');
    expect(asked).toEqual([
      ['A', REQUEST],
      ['B', REQUEST],
    ]);
    expect(asked[0]?.[1]).toBe(REQUEST);
  });

  it('ends at an abort too, and waits for an asynchronous inspector', async () => {
    const verdict = await chain(
      named('Slow', { inspectOperation: async () => Decide.abort('stop') }),
      named('Never', returning('not asked')),
    ).inspectOperation(REQUEST);
    expect(verdict).toEqual({ decision: { kind: 'abort', reason: 'stop' }, inspector: 'Slow' });
  });

  it('keeps the inspector as `this`', async () => {
    class Counting implements OperationInspector {
      calls = 0;
      inspectOperation() {
        this.calls += 1;
        return Decide.accept();
      }
    }
    const counting = new Counting();
    await chain(named('Counting', counting)).inspectOperation(REQUEST);
    expect(counting.calls).toBe(1);
  });

  it('counts and asks only those that inspect operations', async () => {
    const commitOnly = named('CommitOnly', { inspectCommit: () => Decide.abort('no') });
    const both = chain(commitOnly, named('A', { inspectOperation: () => Decide.accept() }));
    expect(both.size).toBe(1);
    expect((await both.inspectOperation(REQUEST)).decision.kind).toBe('accept');
  });

  it.each([
    ['[20] a TypeError', new TypeError('boom'), 'TypeError'],
    ["[21] the library's retry signal", new ToolRetryError('again'), 'ToolRetryError'],
    [
      '[23] an OperationRejectedError',
      new OperationRejectedError({ request: REQUEST, reason: 'no' }),
      'OperationRejectedError',
    ],
  ])('%s thrown by an inspector fails the run, with it as the cause', async (_, thrown, className) => {
    const throwing = named('Spending', {
      inspectOperation() {
        throw thrown;
      },
    });
    const failure = await failureOf(chain(throwing).inspectOperation(REQUEST));
    expect(failure.inspector).toBe('Spending');
    expect(failure.cause).toBe(thrown);
    expect(failure.message).toBe(
      `Spending threw ${className} in inspectOperation. Decisions are returned, made by Decide; until one is, nothing runs.`,
    );
  });

  it.each([
    ['[24] null', null, 'null'],
    ['[25] a commit-only decision', Decide.rewrite(1), "kind 'rewrite'"],
    ['a hook decision', Decide.continue(), "kind 'continue'"],
    ['a look-alike made by hand', { kind: 'accept' }, "kind 'accept'"],
    ['nothing', undefined, 'undefined'],
    ['true', true, 'boolean'],
  ])('%s is an invalid decision', async (_, value, shown) => {
    const failure = await failureOf(chain(named('Spending', returning(value))).inspectOperation(REQUEST));
    expect(failure.message).toContain(`returned an invalid decision from inspectOperation (${shown})`);
    expect(failure.cause).toBeUndefined();
  });

  it('[26] a promise that rejects fails the run, with its reason as the cause', async () => {
    const reason = new Error('database is gone');
    const failure = await failureOf(
      chain(named('Spending', { inspectOperation: () => Promise.reject(reason) })).inspectOperation(REQUEST),
    );
    expect(failure.cause).toBe(reason);
  });

  it('an inspector that never answers fails the run after its time', async () => {
    const hanging = named('Hanging', { inspectOperation: () => new Promise<never>(() => undefined) });
    const failure = await failureOf(new InspectorChain([hanging], 5).inspectOperation(REQUEST));
    expect(failure.message).toContain('Hanging did not decide in inspectOperation within 5 ms');
  });

  it('a hostile answer fails the run too', async () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new RangeError('trap');
        },
      },
    );
    const failure = await failureOf(chain(named('Hostile', returning(hostile))).inspectOperation(REQUEST));
    expect(failure.inspector).toBe('Hostile');
  });
});

describe('InspectorChain, commits', () => {
  const seeing = (seen: unknown[], decision: unknown): OperationInspector => ({
    inspectCommit(commit) {
      seen.push(commit.output);
      return decision as never;
    },
  });

  it('leaves the output alone when all accept', async () => {
    const verdict = await chain(named('A', seeing([], Decide.accept()))).inspectCommit(COMMIT);
    expect(verdict).toEqual({ output: 4, rewritten: false });
  });

  it('[64] a rewrite takes the place of the result, and the next inspector sees it', async () => {
    const seen: unknown[] = [];
    const verdict = await chain(
      named('A', seeing(seen, Decide.rewrite(9))),
      named('B', seeing(seen, Decide.accept())),
    ).inspectCommit(COMMIT);
    expect(verdict).toEqual({ output: 9, rewritten: true });
    expect(seen).toEqual([4, 9]);
  });

  it('[70] a rewrite to null is a rewrite', async () => {
    expect(await chain(named('A', seeing([], Decide.rewrite(null)))).inspectCommit(COMMIT)).toEqual({
      output: null,
      rewritten: true,
    });
  });

  it('[71] an abort names its inspector and ends the chain', async () => {
    const seen: unknown[] = [];
    const verdict = await chain(
      named('A', seeing(seen, Decide.abort('no'))),
      named('B', seeing(seen, Decide.accept())),
    ).inspectCommit(COMMIT);
    expect(verdict.aborted).toEqual({ kind: 'abort', reason: 'no', inspector: 'A' });
    expect(seen).toEqual([4]);
  });

  it('[72] a rejection is an invalid decision', async () => {
    const failure = await failureOf(chain(named('A', seeing([], Decide.reject('no')))).inspectCommit(COMMIT));
    expect(failure.message).toContain("invalid decision from inspectCommit (kind 'reject')");
  });

  it('[73] a throw fails the run', async () => {
    const thrown = new Error('boom');
    const failure = await failureOf(
      chain(named('A', { inspectCommit: () => Promise.reject(thrown) })).inspectCommit(COMMIT),
    );
    expect(failure.cause).toBe(thrown);
  });

  it('what a run raises cannot be rewritten, only aborted', async () => {
    const raising: RunCommit = { ...COMMIT, outcome: 'raise' };
    const failure = await failureOf(chain(named('A', seeing([], Decide.rewrite(1)))).inspectCommit(raising));
    expect(failure.message).toContain("(kind 'rewrite')");
    expect((await chain(named('A', seeing([], Decide.abort('x')))).inspectCommit(raising)).aborted?.reason).toBe('x');
  });
});

describe('@Inspector', () => {
  it('keeps the order, 0 by default; a subclass is an inspector too', () => {
    @Inspector({ order: 10 })
    class Late {}
    @Inspector()
    class Plain {}
    class Heir extends Late {}
    expect([Late, Plain, Heir, Object].map(inspectorOrder)).toEqual([10, 0, 10, undefined]);
  });
});
