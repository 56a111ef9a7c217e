import type { OperationFinished } from './operation.js';
import type { RunStage, TerminalStatus } from './statuses.js';
import type { RunUsage } from './usage.js';

/** The one record of how a run ended. Frozen. */
export interface TerminalRecord {
  readonly id: string;
  readonly runId: string;
  readonly threadId: string;
  readonly agent: string;
  readonly status: TerminalStatus;
  readonly stage: RunStage | null;
  /** `Class: message`, redacted; null when it completed. */
  readonly error: string | null;
  /** Who cancelled: `client disconnected`, `shutdown`, `requested`, `parent`; null otherwise. */
  readonly source: string | null;
  readonly reason: string | null;
  readonly organizationId: string | null;
  readonly principalId: string | null;
  readonly parentRunId: string | null;
  readonly parentOperationId: string | null;
  readonly failedOperations: readonly OperationFinished[];
  readonly usage: RunUsage;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** The span of the segment that ended it; absent without tracing. */
  readonly traceId?: string | null;
  readonly spanId?: string | null;
}
