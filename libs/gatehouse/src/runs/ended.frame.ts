import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import { RunAbortedError } from '../contracts/errors/run-aborted.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { RunStoppedError } from '../contracts/errors/run-stopped.error.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { Redactor } from '../values/redactor.js';
import type { LiveRun } from './live.run.js';
import type { DecidedEnd } from './decided.end.js';

/** The last event of a run. What a client reads of an error is our own wording: no driver text, no stack, no secret. */
export const endedFrame = (live: LiveRun, end: DecidedEnd, redactor: Redactor): RunEvent => {
  const ended = { segment: live.parts.segment, ...live.spent() };
  const { status, error } = end;
  if (status === 'completed') return { type: 'run.finished', ...ended, output: redactor.redact(end.output) };
  if (status === 'cancelled' && error instanceof RunCancelledError) {
    return { type: 'run.cancelled', ...ended, source: error.source, reason: redactor.redactText(error.reason) };
  }
  return { type: 'run.failed', ...ended, ...publicError(live.runId, end, redactor) };
};

const publicError = (runId: string, { status, stage, error }: DecidedEnd, redactor: Redactor) => {
  if (status === 'raised') return { message: `The run ended with an error (run ${runId}).`, code: 'raised' };
  if (status === 'interrupted') return { message: 'The run was interrupted.', code: 'interrupted' };
  if (error instanceof RunAbortedError || error instanceof HookAbortError) {
    return { message: `The run was stopped: ${redactor.redactText(error.reason)}`, code: 'aborted' };
  }
  if (error instanceof LimitExceededError) return { message: error.message, code: 'limit_exceeded' };
  if (error instanceof RunStoppedError) return { message: 'The run was stopped by the application.', code: 'stopped' };
  if (stage === 'denial') return { message: 'Not permitted.', code: 'denied' };
  return { message: `The run failed (run ${runId}).`, code: 'failed' };
};
