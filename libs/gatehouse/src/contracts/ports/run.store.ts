import type { AuditEvent } from '../audit.event.js';
import type { CancelSource } from '../errors/run-cancelled.error.js';
import type { OperationRecord } from '../operation.record.js';
import type { RunEvent, RunFrame } from '../run.events.js';
import type { JsonValue } from '../json.js';
import type { TerminalRecord } from '../terminal.record.js';
import type { ThreadMessage } from '../thread.message.js';
import type { ApprovalSealing } from './approval.sealing.js';
import type { Fence } from './run.fence.js';
import type { NewApproval, NewVote, StoredApproval, VotesResult } from './stored.approval.js';
import type { AnswersResult, NewAnswer, NewDeferral, StoredDeferral } from './stored.deferral.js';
import type { NewRun, RunCounters, StoredRun } from './stored.run.js';
import type { StoredResult, StoredStep } from './stored.step.js';

/** Which process owns runs, and for how long without a renewal. */
export interface Ownership {
  readonly owner: string;
  readonly leaseMs: number;
}

/** Instead of an owner: the run is queued for whoever takes it over first, for so long before it counts as overdue. */
export interface Queueing {
  readonly startWithinMs: number;
}

export type StartRunResult =
  | { readonly started: StoredRun }
  /** `thread`: it belongs to somebody else. `segment`, `run`: that id was used before. `busy`: this run of the thread is under way. */
  | { readonly refused: 'thread' | 'segment' | 'run' | 'busy'; readonly runId?: string };

export type TakeOverResult =
  | {
      readonly taken: StoredRun;
      readonly step?: StoredStep;
      readonly approvals: readonly StoredApproval[];
      readonly deferrals: readonly StoredDeferral[];
      /** Of a run that was queued: its open segment, whose start was said already. */
      readonly open?: { readonly segment: string; readonly firstSeq: number };
    }
  | { readonly refused: 'unknown' | 'not-suspended' | 'pending' | 'segment' };

/**
 * How a run is taken over: to begin or go on once nobody is waited for, or to be ended (its open approvals become what is said). A queued run
 * has an open segment and opens none.
 */
export interface TakeOver {
  readonly runId: string;
  readonly purpose: 'resume' | 'end';
  readonly segment: string;
  /** Only while it is queued still. */
  readonly only?: 'queued';
  /** Open approvals of a run that is ended become this. */
  readonly openBecome?: 'cancelled' | 'superseded';
  /**
   * Of a run that is ended: the wish that is kept with it, unless one was kept before, `requested` where nothing is said. Whoever finds the run
   * after its process was lost cannot let it wait, and ends it by that. `lease lost`: nobody wished for it, the run is interrupted.
   */
  readonly cancel?: { readonly source: CancelSource; readonly reason: string };
  /** A uuid made before the first attempt: an attempt whose answer was lost is known by it when it is made again. */
  readonly token?: string;
}

/** How a suspended run is queued: in a segment whose start is said at once. */
export interface Requeue extends Queueing {
  readonly runId: string;
  readonly segment: string;
  readonly started: RunEvent;
  /** As of a `TakeOver`. */
  readonly token?: string;
}

export type RequeueResult =
  { readonly queued: StoredRun } | { readonly refused: Extract<TakeOverResult, { refused: unknown }>['refused'] };

/** What changed with a step: always written together. A redirected operation takes with it what was approved for it. */
export interface StepProgress {
  readonly step: StoredStep;
  readonly messages: readonly ThreadMessage[];
  readonly operations: readonly OperationRecord[];
  readonly state: Readonly<Record<string, JsonValue>>;
  readonly counters: RunCounters;
}

/** The end of a run. */
export interface RunEnding {
  readonly record: TerminalRecord;
  readonly operations: readonly OperationRecord[];
  readonly messages: readonly ThreadMessage[];
  readonly state: Readonly<Record<string, JsonValue>>;
  readonly counters: RunCounters;
  /** The run-level execution record of a run that did not end well. */
  readonly audit?: AuditEvent;
  /** The last step with its final results, where there is one. */
  readonly step?: StoredStep;
  /** What open approvals become. Claimed ones without an outcome become `unknown`. */
  readonly openBecome?: 'cancelled' | 'superseded';
}

/** Who claims what. */
export interface ApprovalClaim {
  readonly approvalId: string;
  readonly argumentsDigest: string;
  readonly claimToken: string;
}

export type ClaimVerdict = 'claimed' | 'refused' | 'forged';

export interface Renewal {
  /** Fences that another process took, or that ended. */
  readonly lost: readonly Fence[];
  readonly cancels: readonly { readonly runId: string; readonly source: string; readonly reason: string }[];
  /** Runs that clients of other processes watched until lately, and that one of them left, or whose process is silent. */
  readonly unwatched: readonly string[];
}

/** How the last one that watched a run is known to have ended, where nobody left it: cut off by a server, which promised it that the run goes on; or gone. */
export type WatchEnd = 'cut' | 'gone';

/** What a process says that watches no more. `left`: somebody has left whose leaving ends the run once nobody else watches; as silence does. */
export type WatchRelease = WatchEnd | 'left';

/** Who watches a run, as far as the store knows. */
export interface Watching {
  /** Differs from one note to the next. */
  readonly note: string;
  /** Whoever watches says so again within this many milliseconds; 0: nobody does. */
  readonly forMs: number;
  /** The latest note was such an end. */
  readonly ended?: WatchEnd;
}

export interface SweepResult {
  /** Runs whose owner is gone; owned by us now, at their new epoch. End them. */
  readonly orphans: readonly StoredRun[];
  /** Suspended runs that wait for nobody any more (the last answer came, or expired, and nobody resumed them). */
  readonly ready: readonly string[];
  /** Runs that are queued still. */
  readonly queued: readonly string[];
  /** Queued runs that nobody took in time. */
  readonly overdue: readonly string[];
  /** Local runs of other processes that wait for nobody, and did not go on within a lease of the last answer: their process is gone. */
  readonly stranded: readonly string[];
}

/**
 * Working state. Every method is one transaction, with its frames and its evidence inside. A write of a run's owner is fenced: when another
 * process owns the run it throws `LeaseLostError` and writes nothing. Everything throws `StorageUnavailableError` when the database does not
 * answer. Postgres and memory implement it; one contract suite proves both.
 */
export abstract class RunStore {
  /** Stores run, thread ownership, segment, user messages and first frames. A queued one has no owner yet, and epoch 0. */
  abstract startRun(
    run: NewRun,
    messages: readonly ThreadMessage[],
    frames: readonly RunFrame[],
    ownership: Ownership | Queueing,
  ): Promise<StartRunResult>;

  /** Takes a suspended or queued run. `frames` start at `lastSeq + 1` and are written by the caller afterwards. */
  abstract takeOver(take: TakeOver, ownership: Ownership): Promise<TakeOverResult>;

  /** Queues a suspended run that waits for nobody any more; refused as a take-over to resume it would be. */
  abstract requeue(requeue: Requeue): Promise<RequeueResult>;

  abstract appendFrames(fence: Fence, frames: readonly RunFrame[]): Promise<void>;

  /** Before any of its operations starts. */
  abstract startStep(fence: Fence, step: StoredStep, counters: RunCounters, frames: readonly RunFrame[]): Promise<void>;

  abstract settleStep(fence: Fence, progress: StepProgress, frames: readonly RunFrame[]): Promise<void>;

  /** Stores that a call waits; voids the operation's earlier approvals. */
  abstract requestApproval(fence: Fence, approval: NewApproval, sealing?: ApprovalSealing): Promise<StoredApproval>;

  /** Stores that a call was handed on, and in the same write that the claim of its operation, where there is one, was withdrawn. */
  abstract defer(fence: Fence, deferral: NewDeferral, withdrawn: StoredResult): Promise<StoredDeferral>;

  /** Results of deferred calls of one run: all or none. Kept while the run goes on or waits. */
  abstract answer(runId: string, answers: readonly NewAnswer[]): Promise<AnswersResult>;

  /** `decided`: nothing is waited for any more, the run stays ours and nothing was written. */
  abstract suspend(fence: Fence, progress: StepProgress, frames: readonly RunFrame[]): Promise<'suspended' | 'decided'>;

  /**
   * Lets a run wait whose owner was lost; by whoever swept it, once nothing of the response that waits can have started. `progress`: what became of
   * the calls beside it. Throws the `RunCancelledError` that somebody asked for, and writes nothing.
   */
  abstract giveBack(fence: Fence, frames: readonly RunFrame[], progress?: StepProgress): Promise<void>;

  /** All or none. `sealing` signs each yes and what they decide; a stored yes that it does not know does not count. */
  abstract vote(votes: readonly NewVote[], sealing?: ApprovalSealing): Promise<VotesResult>;

  /**
   * One claim buys one start. `claimToken` is the operation id; the same token again is success. `forged`: the row does not carry a signature that
   * `sealing` knows; the approval is superseded, and nothing may start.
   */
  abstract claim(fence: Fence, claim: ApprovalClaim, sealing?: ApprovalSealing): Promise<ClaimVerdict>;

  /** The outcome of a claimed call. `withdrawn`: it ended in a veto or deferral before any effect. */
  abstract settle(fence: Fence, approvalId: string, result: StoredResult): Promise<void>;

  /** First terminal commit wins: false when the run had already ended. */
  abstract finish(fence: Fence, ending: RunEnding, frames: readonly RunFrame[]): Promise<boolean>;

  /** Asks the owner of a running run to cancel it. Returns the run as it stands; nothing for an unknown id. */
  abstract requestCancel(runId: string, source: string, reason: string): Promise<StoredRun | undefined>;

  abstract renew(fences: readonly Fence[], ownership: Ownership): Promise<Renewal>;

  /** Expires approvals, takes over orphans, lists runs that can go on. */
  abstract sweep(ownership: Ownership): Promise<SweepResult>;

  /**
   * Notes that somebody watches these running runs, for so long from now by the store's own clock. Never shortens what is noted. `only: 'noted'`: where
   * something is noted already. Answers for which runs it did.
   */
  abstract watch(runIds: readonly string[], forMs: number, only?: 'noted'): Promise<readonly string[]>;

  /** What is noted of who watches this run; nothing where nobody ever did since it last went on. */
  abstract watching(runId: string): Promise<Watching | undefined>;

  /**
   * Notes how somebody has ended who watched these running runs: as `cut` or `gone` only where a watch is noted. Others that watch too have so long to note
   * it again.
   */
  abstract unwatch(runIds: readonly string[], release: WatchRelease, forMs: number): Promise<void>;

  /** Deletes the stored events of at most so many runs that ended longer ago than this; those another process works on are left to it. Answers how many runs. */
  abstract expireEvents(keptMs: number, atMost: number): Promise<number>;

  /** A person says what became of a claimed call whose outcome was lost. */
  abstract resolve(
    approvalId: string,
    outcome: 'ran' | 'did-not-run',
    by: string,
    note: string,
  ): Promise<StoredApproval | undefined>;
}
