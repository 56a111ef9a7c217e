import { Logger } from '@nestjs/common';
import type { TerminalRecord } from '../contracts/terminal.record.js';
import type { NamedListener } from '../operations/roles/run.roles.js';
import { describeError } from '../values/error-text.js';

const logger = new Logger('gatehouse.runs');

/** The host's word comes first where the run has no failure of its own to report. */
const GIVES_WAY: readonly TerminalRecord['status'][] = ['completed', 'aborted'];

/**
 * Tells every listener how a run ended, whatever the ones before it did; record and frames stand. Throws what the first of them threw where the
 * run completed or was aborted, with the run's error as its cause; a failed or cancelled run keeps its own error, with what was thrown as the cause.
 */
export const tellListeners = async (
  listeners: readonly NamedListener[],
  record: TerminalRecord,
  error?: Error,
): Promise<void> => {
  const thrown: unknown[] = [];
  for (const { name, role } of listeners) {
    try {
      await role.runFinished?.(record);
    } catch (failure) {
      if (failure === error) continue;
      thrown.push(failure);
      logger.error(
        `${name} could not be told that run ${record.runId} ended ${record.status}: ${describeError(failure)}`,
      );
    }
  }
  if (thrown.length === 0) return;
  const [first] = thrown;
  if (!GIVES_WAY.includes(record.status)) return because(error, first);
  because(first, error);
  // The host's own object goes on, whatever it is.
  throw first;
};

/** Links two errors, unless the first already says why. */
const because = (error: unknown, cause: unknown): void => {
  if (error instanceof Error && cause !== undefined && error.cause === undefined) error.cause = cause;
};
