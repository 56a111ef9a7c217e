import type { RunStage, TerminalStatus } from '../contracts/statuses.js';

/** How a run ends, decided. */
export interface DecidedEnd {
  readonly status: TerminalStatus;
  readonly stage: RunStage | null;
  readonly error?: Error;
  readonly output?: unknown;
  /** What becomes of operations that have no outcome: they waited, or their process is gone. */
  readonly open?: 'skipped' | 'superseded' | 'interrupted';
}
