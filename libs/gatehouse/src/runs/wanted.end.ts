import { RunCancelledError, type CancelSource } from '../contracts/errors/run-cancelled.error.js';
import type { TakeOver } from '../contracts/ports/run.store.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import type { StoredStep } from '../contracts/ports/stored.step.js';
import type { DecidedEnd } from './decided.end.js';
import type { Waits } from './waits.js';

/** What is kept with a run that is being ended though nobody asked for that. */
export const INTERRUPTED: NonNullable<TakeOver['cancel']> = Object.freeze({ source: 'lease lost', reason: '' });

/** How a run ends that somebody had wanted to end, and whose process was lost over it. None of its calls is under way. */
export const wantedEnd = (error: RunCancelledError, step?: StoredStep, waits?: Waits): DecidedEnd => ({
  status: 'cancelled',
  stage: 'executor',
  error,
  open: isSuperseded(step, waits) ? 'superseded' : 'skipped',
});

/** What somebody had asked for before the run's process was lost; nothing where it was to be interrupted. */
export const wantedCancel = ({ cancelRequested: asked }: StoredRun): RunCancelledError | undefined =>
  asked === undefined || asked.source === INTERRUPTED.source
    ? undefined
    : new RunCancelledError(asked.source as CancelSource, asked.reason);

/** A new message took the place of what waited. Of several approvals of one call, the last one counts. */
const isSuperseded = (step?: StoredStep, waits?: Waits): boolean => {
  const last = new Map(waits?.approvals.map(({ operationId, status }) => [operationId, status]));
  const open = step?.operations.filter(({ result }) => result === undefined) ?? [];
  return open.some(({ operationId }) => last.get(operationId) === 'superseded');
};
