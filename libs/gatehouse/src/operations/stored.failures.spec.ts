import { RestoredError } from '../contracts/errors/restored.error.js';
import type { OperationFinished } from '../contracts/operation.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import { restoredFailure, storedFailures } from './stored.failures.js';

const RUN = { id: 'r1', threadId: 't1', user: { id: 'ann' }, state: {} } as unknown as StoredRun;
const at = new Date('2026-01-01T00:00:00Z');

const failed = (exception: unknown, args: unknown = { order: 7 }): OperationFinished => ({
  request: {
    ...{ operationId: 'o1', runId: 'r1', threadId: 't1', step: 2, position: 1, kind: 'tool', toolName: 'refund' },
    ...{ args, argumentsDigest: 'd', approved: false, state: {} },
  },
  ...{ status: 'failed', outcome: 'failed', executionStarted: true, shadowed: [], exception },
  ...{ startedAt: at, finishedAt: at, durationMs: 3 },
});
const roundTrip = (finished: OperationFinished): OperationFinished => {
  const [stored] = JSON.parse(JSON.stringify(storedFailures([finished]))) as ReturnType<typeof storedFailures>;
  if (stored === undefined) throw new Error('Nothing was stored.');
  return restoredFailure(stored, RUN);
};

describe('a failed operation across a suspension', () => {
  it('keeps its facts, and an error of the same name, message and stack', () => {
    const error = new RangeError('bad');
    const back = roundTrip(failed(error));
    expect(back).toMatchObject({
      request: { operationId: 'o1', step: 2, position: 1, toolName: 'refund', args: { order: 7 }, user: { id: 'ann' } },
      ...{ status: 'failed', outcome: 'failed', executionStarted: true, startedAt: at, durationMs: 3 },
      exception: { name: 'RangeError', message: 'bad', stack: error.stack },
    });
    expect(back.exception).toBeInstanceOf(RestoredError);
  });

  it('is bounded: long text is cut with a marker, long arguments are left out, 50 are kept', () => {
    const back = roundTrip(failed(new Error('x'.repeat(10_000)), { text: 'y'.repeat(10_000) }));
    expect((back.exception as Error).message).toMatch(/^x+ \[truncated: 10000 characters\]$/);
    expect((back.exception as Error).message).toHaveLength(4_096);
    expect(back.request.args).toBeUndefined();
    expect(storedFailures(Array.from({ length: 60 }, () => failed(new Error('x'))))).toHaveLength(50);
  });

  it('survives what cannot be read or written', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const hostile = Object.defineProperty(new Error('x'), 'stack', {
      get: () => {
        throw new Error('trap');
      },
    });
    const back = roundTrip(failed(hostile, cyclic));
    expect(back.request.args).toBeUndefined();
    expect(back.exception).toMatchObject({ message: 'x' });
    expect(roundTrip(failed(undefined)).exception).toBeUndefined();
  });
});
