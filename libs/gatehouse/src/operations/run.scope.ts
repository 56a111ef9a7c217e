import type { ToolCallResult } from '../contracts/operation.js';
import type { JsonValue } from '../contracts/json.js';
import type { RunFence } from '../contracts/ports/run.fence.js';
import type { ClaimVerdict } from '../contracts/ports/run.store.js';
import type { NewApproval, StoredApproval } from '../contracts/ports/stored.approval.js';
import type { NewDeferral, StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { StoredResult } from '../contracts/ports/stored.step.js';
import type { Principal } from '../contracts/principal.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { OutputContract } from './output/output.contract.js';
import type { RunRoles } from './roles/run.roles.js';
import type { RunLedger } from './run.ledger.js';
import type { SharedLimits } from './shared.limits.js';

/** What a run's stream says of the runs below it. */
export type ChildNews = Extract<RunEvent, { type: 'child.started' | 'child.finished' }>;

/** How the pipeline reaches the stored approvals of its run. */
export interface ApprovalGateway {
  request(draft: NewApproval): Promise<StoredApproval>;
  /** One claim buys one start. */
  claim(approvalId: string, argumentsDigest: string, claimToken: string): Promise<ClaimVerdict>;
  settle(approvalId: string, result: StoredResult): Promise<void>;
}

/** How the pipeline stores calls that were handed on. */
export interface DeferralGateway {
  /** @param withdrawn what becomes of a claimed approval of the same operation */
  defer(draft: NewDeferral, withdrawn: StoredResult): Promise<StoredDeferral>;
}

/** What the pipeline knows about the run it works for. Captured when the run starts; the same for all its operations. */
export interface RunScope {
  readonly runId: string;
  readonly threadId: string;
  readonly user?: Principal;
  readonly organizationId?: string;
  readonly ipAddress?: string;
  readonly parentOperationId?: string;
  readonly digestKey: string;
  readonly state: Record<string, JsonValue>;
  readonly signal: AbortSignal;
  readonly fence: RunFence;
  /** The names offered to this run; absent: every tool. */
  readonly offered?: ReadonlySet<string>;
  readonly limits: ResolvedOptions['limits'];
  readonly roles: RunRoles;
  readonly ledger: RunLedger;
  /** What this run and those above it have left. */
  readonly shared: SharedLimits;
  readonly approvals: ApprovalGateway;
  /** Absent where the run cannot wait for a result from outside. */
  readonly deferrals?: DeferralGateway;
  /** After a suspension: what became of the approvals of this response, by operation id. */
  readonly decided?: ReadonlyMap<string, StoredApproval>;
  /** Operations that wait for a person, now. */
  readonly waiting: Set<string>;
  /** Somebody reads what calls come to as text: a model, or a stream. */
  readonly heard: boolean;
  /** A program's own call: it gets what was thrown, the failure policy has no say. */
  readonly direct: boolean;
  /** What the result must be, where it is asked for. */
  readonly output?: OutputContract;
  /** In a child run, and in the call of an output, nobody waits for a person: what needs one is denied. */
  readonly nobodyToAsk?: boolean;
  /** How many runs are above this one. */
  readonly depth?: number;
  /** Runs that its calls started and that have not ended. */
  readonly children?: Set<Promise<unknown>>;
  /** A run that a call has started began, or ended: the stream may tell. */
  readonly childNews?: (news: ChildNews) => void;
  /** The call of an operation under way, as the stream names it; nothing for an output that stands in a text. */
  readonly toolCallOf?: (operationId: string) => string | undefined;
  /** A call's final result is known: the stream may tell. */
  readonly settled?: (call: { readonly toolCallId: string; readonly inText: boolean }, result: ToolCallResult) => void;
}
