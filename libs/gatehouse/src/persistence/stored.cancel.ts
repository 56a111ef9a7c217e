import { RunCancelledError, type CancelSource } from '../contracts/errors/run-cancelled.error.js';
import type { TakeOver } from '../contracts/ports/run.store.js';
import { sanitizeText } from '../values/sanitizer.js';

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

/** The wish that a take-over leaves with a run; nothing where it is to go on. */
export function keptCancel({ purpose, cancel }: TakeOver): NonNullable<TakeOver['cancel']> | undefined {
  if (purpose !== 'end') return undefined;
  const { source = 'requested', reason = '' } = cancel ?? {};
  return { source, reason: sanitizeText(reason) };
}
