import type { ApprovalStatus, RunStatus } from '../statuses.js';
import type { Page, PageQuery } from '../page.js';
import type { RunFrame } from '../run.events.js';
import type { ThreadMessage } from '../thread.message.js';
import type { StoredApproval } from './stored.approval.js';
import type { StoredDeferral } from './stored.deferral.js';
import type { StoredRun } from './stored.run.js';
import type { StoredStep } from './stored.step.js';

/** Runs and threads belong to one (organization, principal); absent is a value of its own. */
export interface Owner {
  readonly organizationId?: string;
  readonly principalId?: string;
}

export interface RunQuery extends PageQuery {
  readonly threadId?: string;
  readonly status?: RunStatus;
  readonly agent?: string;
  /** Exactly this owner's. */
  readonly owner?: Owner;
  readonly organizationId?: string;
}

export interface ApprovalQuery extends PageQuery {
  readonly runId?: string;
  readonly threadId?: string;
  readonly toolName?: string;
  readonly status?: ApprovalStatus;
  readonly organizationId?: string;
  readonly requestedBy?: string;
}

/** Stored events, and whether the store may have later ones: a read is short where events are large. */
export interface StoredFrames {
  readonly frames: readonly RunFrame[];
  readonly more: boolean;
}

/** Where a segment of a run stands among its events. */
export interface StoredSegment {
  readonly runId: string;
  /** The `seq` of its first event. */
  readonly firstSeq: number;
  /** The `seq` of the next segment's first event, once there is one. */
  readonly nextSeq?: number;
}

/** Reads of working state. */
export abstract class RunReader {
  abstract run(id: string): Promise<StoredRun | undefined>;
  abstract runs(query: RunQuery): Promise<Page<StoredRun>>;
  /** Who owns a thread; nothing for an unknown one. */
  abstract threadOwner(threadId: string): Promise<Owner | undefined>;
  /** The stored thread, oldest first. */
  abstract messages(threadId: string): Promise<readonly ThreadMessage[]>;
  abstract lastStep(runId: string): Promise<StoredStep | undefined>;
  /** Stored events with `seq` above `after`, in order: at most `limit`, and none once those before it hold a quarter of a megabyte. At least one, where there is one. */
  abstract frames(runId: string, after: number, limit: number): Promise<StoredFrames>;
  /** Where the client's name for a segment points. */
  abstract segment(owner: Owner, segment: string): Promise<StoredSegment | undefined>;
  abstract approval(id: string): Promise<StoredApproval | undefined>;
  /** The calls that a run handed on, oldest first. */
  abstract deferrals(runId: string): Promise<readonly StoredDeferral[]>;
  abstract approvals(query: ApprovalQuery): Promise<Page<StoredApproval>>;
}
