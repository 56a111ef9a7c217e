import { RestoredError } from '../contracts/errors/restored.error.js';
import type { OperationFinished } from '../contracts/operation.js';
import type { StoredFailure, StoredRun } from '../contracts/ports/stored.run.js';
import { canonicalText } from '../values/canonical-json.js';
import { cut, errorMessage, errorName } from '../values/error-text.js';
import { plainArguments } from './operation.js';

const MOST = 50;
const LONGEST_TEXT = 4_096;

/** What a suspended run keeps of its failed operations: the last 50. */
export const storedFailures = (failures: readonly OperationFinished[]): readonly StoredFailure[] =>
  failures.slice(-MOST).map(storedFailure);

const storedFailure = (finished: OperationFinished): StoredFailure => {
  const { request, outcome, executionStarted, decidedBy, reason, exception } = finished;
  const { operationId, toolName, kind, step, position, argumentsDigest } = request;
  return {
    ...{ operationId, toolName, kind, step, position, argumentsDigest, outcome, executionStarted, decidedBy, reason },
    args: shortText(request.args),
    error: exception === undefined ? undefined : storedError(exception),
    startedAt: finished.startedAt.toISOString(),
    finishedAt: finished.finishedAt.toISOString(),
    durationMs: finished.durationMs,
  };
};

/** The same failure after a suspension: its error has the name, message and stack of the one that was thrown. */
export const restoredFailure = (stored: StoredFailure, run: StoredRun): OperationFinished => {
  const { args, error, startedAt, finishedAt, durationMs, outcome, executionStarted, decidedBy, reason, ...request } =
    stored;
  return Object.freeze({
    request: Object.freeze({
      ...request,
      runId: run.id,
      threadId: run.threadId,
      args: args === undefined ? undefined : plainArguments(args),
      user: run.user,
      organizationId: run.organizationId,
      parentOperationId: run.parentOperationId,
      approved: false,
      state: run.state,
    }),
    ...{ status: 'failed' as const, outcome, executionStarted, decidedBy, reason, shadowed: Object.freeze([]) },
    exception: error && new RestoredError(error.name, error.message, error.stack),
    startedAt: new Date(startedAt),
    finishedAt: new Date(finishedAt),
    durationMs,
  });
};

const storedError = (exception: unknown): NonNullable<StoredFailure['error']> => ({
  name: errorName(exception),
  message: cut(errorMessage(exception), LONGEST_TEXT),
  stack: stackOf(exception),
});

const stackOf = (exception: unknown): string | undefined => {
  try {
    return exception instanceof Error && typeof exception.stack === 'string'
      ? cut(exception.stack, LONGEST_TEXT)
      : undefined;
  } catch {
    return undefined;
  }
};

/** Arguments whose text is long, or that have none, are not kept. */
const shortText = (args: unknown): string | undefined => {
  try {
    const text = canonicalText(plainArguments(JSON.stringify(args)));
    return text.length <= LONGEST_TEXT ? text : undefined;
  } catch {
    return undefined;
  }
};
