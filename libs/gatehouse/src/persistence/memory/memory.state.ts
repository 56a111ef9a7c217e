import type { ApprovalVote } from '../../contracts/approval.js';
import type { ApprovalEvent } from '../../contracts/approval.event.js';
import type { AuditEvent } from '../../contracts/audit.event.js';
import type { LedgerEntry } from '../../contracts/ledger.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { TerminalEntry } from '../../contracts/ports/evidence.store.js';
import type { Owner } from '../../contracts/ports/run.reader.js';
import type { WatchEnd } from '../../contracts/ports/run.store.js';
import type { EditedArguments, NewApproval } from '../../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../../contracts/ports/stored.deferral.js';
import type { NewRun, RunCounters, StoredRun } from '../../contracts/ports/stored.run.js';
import type { StoredResult, StoredStep } from '../../contracts/ports/stored.step.js';
import type { RunFrame } from '../../contracts/run.events.js';
import type { ApprovalStatus, RunStatus } from '../../contracts/statuses.js';
import type { ThreadMessage } from '../../contracts/thread.message.js';

/** A run's mutable row. `leaseUntil` is in milliseconds since the epoch. */
export interface MemoryRun {
  readonly made: NewRun;
  readonly ownerKey: string;
  readonly startedAt: Date;
  status: RunStatus;
  epoch: number;
  owner: string | null;
  leaseUntil: number;
  step: number;
  counters: RunCounters;
  state: NewRun['state'];
  lastSeq: number;
  cancel?: NonNullable<StoredRun['cancelRequested']>;
  finishedAt?: Date;
  /** In milliseconds since the epoch. */
  watched?: { readonly until: number; readonly end?: WatchEnd };
  eventsExpiredAt?: Date;
}

/** What a person said about a claimed call whose outcome was lost. */
export interface Resolution {
  readonly outcome: 'ran' | 'did-not-run';
  readonly by: string;
  readonly note: string;
}

/** An approval's mutable row. */
export interface MemoryApproval {
  readonly asked: NewApproval;
  readonly digestKey: string;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly votes: ApprovalVote[];
  readonly history: ApprovalEvent[];
  status: ApprovalStatus;
  decision?: boolean;
  decidedAt?: Date;
  executeBefore?: Date;
  reason?: string;
  note?: string;
  edited?: EditedArguments;
  claimToken?: string;
  result?: StoredResult;
  resolution?: Resolution;
}

interface MemoryThread {
  readonly ownerKey: string;
  readonly owner: Owner;
  readonly messages: { readonly runId: string; readonly message: ThreadMessage }[];
}

/** Everything the memory stores hold; one per application, shared by them. */
export class MemoryState {
  readonly runs = new Map<string, MemoryRun>();
  readonly threads = new Map<string, MemoryThread>();
  /** By owner key and the client's name. */
  readonly segments = new Map<string, { readonly runId: string; readonly firstSeq: number }>();
  readonly steps = new Map<string, StoredStep[]>();
  readonly frames = new Map<string, RunFrame[]>();
  readonly approvals = new Map<string, MemoryApproval>();
  /** By operation. */
  readonly deferrals = new Map<string, StoredDeferral>();
  readonly executions = new Map<string, AuditEvent>();
  readonly operations = new Map<string, OperationRecord>();
  readonly terminals = new Map<string, TerminalEntry>();
  /** Records of the evidence that are none of these. */
  readonly entries = new Map<string, LedgerEntry>();

  /**
   * Runs one transaction. The work is synchronous, so nothing can come between its first look and its last write: that is the whole mutex.
   * It checks everything before it writes anything.
   */
  transaction<T>(work: () => T): Promise<T> {
    return Promise.resolve().then(work);
  }
}

/**
 * Values go in and out as copies: nobody holds a reference into the store. Not `structuredClone`: under Jest its dates and objects belong to
 * another realm, and a user's `instanceof Date` would fail.
 */
export function copied<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (value instanceof Date) return new Date(value);
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null) return value;
  // Spreading defines members, so an own `__proto__` key stays a key.
  const made: Record<string, unknown> = { ...value };
  for (const key of Object.keys(made)) if (typeof made[key] === 'object') made[key] = copy(made[key]);
  return made;
}

export const segmentKey = (ownerKey: string, segment: string): string => `${ownerKey}:${segment}`;
