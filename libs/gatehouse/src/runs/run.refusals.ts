import { RunConflictError } from '../contracts/errors/run-conflict.error.js';
import { RunNotResumableError } from '../contracts/errors/run-not-resumable.error.js';
import { ThreadNotFoundError } from '../contracts/errors/thread-not-found.error.js';
import type { StartRunResult, TakeOverResult } from '../contracts/ports/run.store.js';

type Refused<Result> = Extract<Result, { readonly refused: unknown }>['refused'];

const CONFLICTS = {
  segment: 'This run id was used before: every run, and every resume, needs one of its own.',
  run: 'There is already a run with this id.',
  busy: 'Another run of this thread is under way: wait for it, or cancel it.',
} as const;

const REFUSALS = {
  unknown: 'there is no such run.',
  'not-suspended': 'it does not wait: it is under way or has ended.',
  pending: 'somebody is still waited for.',
} as const;

/** What the store's refusal of a start is to whoever asked. */
export const startRefusal = (threadId: string, why: Refused<StartRunResult>): Error =>
  why === 'thread' ? new ThreadNotFoundError(threadId) : new RunConflictError(CONFLICTS[why]);

/** The same of a take-over. */
export const takeOverRefusal = (runId: string, why: Refused<TakeOverResult>): Error =>
  why === 'segment' ? new RunConflictError(CONFLICTS.segment) : new RunNotResumableError(runId, REFUSALS[why]);

/** Of a local run, in any process but its own. */
export const livesElsewhere = (runId: string): Error =>
  new RunNotResumableError(
    runId,
    'its executor or its roles live in another process; name it with @Agent to resume it anywhere.',
  );
