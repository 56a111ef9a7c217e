import type { JsonValue } from '../json.js';
import type { RunLimits } from '../limits.js';
import type { OperationRecord } from '../operation.record.js';
import type { Principal } from '../principal.js';
import type { DecidedBy, RunStatus, ToolOutcome } from '../statuses.js';
import type { RunUsage } from '../usage.js';

/** What a run and the runs below it share. */
export type SharedUse = { readonly [Limit in 'steps' | 'toolCalls' | 'tokens']: number };

/** A failed operation as it survives a suspension: enough to list it, and to raise its error. Bounded; cuts are marked. */
export interface StoredFailure {
  readonly operationId: string;
  readonly toolName: string;
  readonly kind: OperationRecord['kind'];
  readonly step: number;
  readonly position: number;
  /** Canonical JSON of the arguments, where it is short. */
  readonly args?: string;
  readonly argumentsDigest: string;
  readonly outcome: ToolOutcome;
  readonly executionStarted: boolean;
  readonly decidedBy?: DecidedBy;
  readonly reason?: string;
  readonly error?: { readonly name: string; readonly message: string; readonly stack?: string };
  /** ISO 8601. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly durationMs: number;
}

/** What a run has spent; survives suspensions. */
export interface RunCounters {
  readonly usage: RunUsage;
  /** What runs below it have used of its limits. */
  readonly below?: SharedUse;
  /** Written when the run suspends. */
  readonly failures?: readonly StoredFailure[];
  /** Retry signals since the last success, by tool name. */
  readonly retries: Readonly<Record<string, number>>;
  /** The response in which a tool last spent a retry: its failures count once. Absent: none has. */
  readonly retriedInStep?: Readonly<Record<string, number>>;
  /** Refusals of one (tool, digest). */
  readonly refusals: Readonly<Record<string, number>>;
  /** Refusals of one tool in a row. */
  readonly toolRefusals: Readonly<Record<string, number>>;
}

/** What a run is made of when it starts. */
export interface NewRun {
  readonly id: string;
  readonly threadId: string;
  readonly agent: string;
  /** True: an inline executor or role instances; only this process can resume it. */
  readonly local: boolean;
  /** The client's name of the first segment. Unique per (organization, principal). */
  readonly segment: string;
  readonly user?: Principal;
  readonly organizationId?: string;
  readonly ipAddress?: string;
  readonly instructions?: string;
  readonly tools?: readonly string[];
  readonly limits: RunLimits;
  /** Key of the argument digests; erased with the payloads. */
  readonly digestKey: string;
  readonly state: Readonly<Record<string, JsonValue>>;
  readonly parentRunId?: string;
  readonly parentOperationId?: string;
}

/** A run as stored. */
export interface StoredRun extends NewRun {
  readonly status: RunStatus;
  /** Grows with every change of owner; 0 until a queued run has its first. */
  readonly epoch: number;
  readonly owner: string | null;
  /** Steps stored so far. */
  readonly step: number;
  readonly counters: RunCounters;
  /** A newer Gatehouse has owned it: this process may show it, and takes nothing over. The version that it would have to read. */
  readonly newerCheckpoint?: number;
  /** The last event's `seq`. */
  readonly lastSeq: number;
  readonly cancelRequested?: { readonly source: string; readonly reason: string };
  readonly startedAt: Date;
  readonly finishedAt?: Date;
  /** Its stored events were deleted: `runs.keepEvents` had passed since it ended. */
  readonly eventsExpiredAt?: Date;
}
