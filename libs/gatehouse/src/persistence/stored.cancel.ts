import { RunCancelledError, type CancelSource } from '../contracts/errors/run-cancelled.error.js';

const SOURCES: readonly CancelSource[] = [
  'client disconnected',
  'requested',
  'shutdown',
  'parent',
  'signal',
  'lease lost',
];

/** A stored wish to cancel, as the run ends with it. */
export function storedCancel(source: string, reason: string): RunCancelledError {
  return new RunCancelledError(SOURCES.find((known) => known === source) ?? 'requested', reason);
}
