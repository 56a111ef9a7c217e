import type { StoredRun } from '../../contracts/ports/stored.run.js';
import type { RunStatus } from '../../contracts/statuses.js';
import type { RunUsage } from '../../contracts/usage.js';

/** A run as the routes show it. Working state, instructions and keys stay inside. */
export interface RunView {
  readonly id: string;
  readonly threadId: string;
  readonly agent: string;
  readonly status: RunStatus;
  readonly organizationId: string | null;
  readonly principalId: string | null;
  readonly parentRunId: string | null;
  readonly parentOperationId: string | null;
  readonly step: number;
  readonly usage: RunUsage;
  /** The last event's id. */
  readonly lastSeq: number;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}

export const runView = (run: StoredRun): RunView => ({
  id: run.id,
  threadId: run.threadId,
  agent: run.agent,
  status: run.status,
  organizationId: run.organizationId ?? null,
  principalId: run.user?.id ?? null,
  parentRunId: run.parentRunId ?? null,
  parentOperationId: run.parentOperationId ?? null,
  step: run.step,
  usage: run.counters.usage,
  lastSeq: run.lastSeq,
  startedAt: run.startedAt,
  finishedAt: run.finishedAt ?? null,
});
