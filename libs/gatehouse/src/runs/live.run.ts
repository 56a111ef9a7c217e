import { LeaseLostError } from '../contracts/errors/lease-lost.error.js';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import type { CancelSource } from '../contracts/errors/run-cancelled.error.js';
import type { RunSuspended } from '../contracts/errors/run-suspended.js';
import type { JsonValue } from '../contracts/json.js';
import type { RunFence } from '../contracts/ports/run.fence.js';
import type { OperationFinished } from '../contracts/operation.js';
import type { StoredResult } from '../contracts/ports/stored.step.js';
import type { RunCounters, StoredRun } from '../contracts/ports/stored.run.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { EmittedEvent } from '../contracts/run.events.js';
import type { RunCandidate, RunRequest } from '../contracts/run.js';
import type { ThreadMessage } from '../contracts/thread.message.js';
import type { RunEnd } from '../operations/passage.js';
import type { OutputContract } from '../operations/output/output.contract.js';
import { restoredFailure, storedFailures } from '../operations/stored.failures.js';
import { SharedLimits } from '../operations/shared.limits.js';
import type { RunRoles } from '../operations/roles/run.roles.js';
import { RunLedger } from '../operations/run.ledger.js';
import type { Redactor } from '../values/redactor.js';
import { timerOf } from '../values/timers.js';
import type { LiveStep } from './live.step.js';
import type { RunCancellation } from './run.cancellation.js';
import type { LeasedRun } from './run.lease.js';
import type { RunLog } from './run.log.js';
import { suspension, type Waits } from './waits.js';
import { usageOfSegment } from './segment.usage.js';
import { storableState } from './caller.facts.js';
import { ToldState } from './told.state.js';

/** What a live run is made of besides what is stored. */
export interface LiveParts {
  readonly segment: string;
  readonly cancellation: RunCancellation;
  readonly roles: RunRoles;
  readonly offered?: ReadonlySet<string>;
  readonly output?: OutputContract;
  readonly limits: ResolvedOptions['limits'];
  readonly messages: readonly ThreadMessage[];
  /** Failed operations of before a suspension in this process. */
  readonly failures: readonly OperationFinished[];
  readonly admit?: RunRequest['admit'];
  /** Of a child run: what it shares with the runs above. */
  readonly above?: { readonly shared: SharedLimits; readonly depth: number };
  /** Why nothing of it can run. */
  readonly unprepared?: Error;
  readonly redactor: Redactor;
  readonly checkLease: (run: LeasedRun) => void;
  readonly log: (run: LiveRun) => RunLog;
}

/** One run while this process owns it. Its services read and change it; nothing of it outlives the segment. */
export class LiveRun implements LeasedRun {
  readonly runId: string;
  readonly epoch: number;
  readonly cancellation: RunCancellation;
  readonly ledger: RunLedger;
  readonly shared: SharedLimits;
  /** Runs that its calls started and that have not ended. */
  readonly children = new Set<Promise<unknown>>();
  readonly state: Record<string, JsonValue>;
  readonly waiting = new Set<string>();
  /** By operation: results that its process told before it was lost. */
  readonly resultsTold = new Map<string, StoredResult>();
  readonly messages: ThreadMessage[];
  readonly fence: RunFence;
  readonly log: RunLog;
  private readonly told: ToldState;
  private readonly parking = new AbortController();
  private lastStorable: Readonly<Record<string, JsonValue>>;
  stepNumber: number;
  /** The response under way. */
  step?: LiveStep;
  /** What ends this run, once something does: no later success replaces it. */
  end?: RunEnd;
  /** What the last response made the result. */
  output?: RunCandidate;
  suspendedFor?: Waits;
  /** Text that was streamed but belongs to no stored response yet. */
  partial?: { readonly messageId: string; readonly text: string };

  constructor(
    readonly stored: StoredRun,
    readonly parts: LiveParts,
  ) {
    this.runId = stored.id;
    this.epoch = stored.epoch;
    this.cancellation = parts.cancellation;
    const { usage, below, failures = [] } = stored.counters;
    this.ledger = new RunLedger(
      stored.counters,
      failures.map(
        (failure) =>
          parts.failures.find(({ request }) => request.operationId === failure.operationId) ??
          restoredFailure(failure, stored),
      ),
    );
    const own = {
      steps: stored.step,
      toolCalls: usage.toolCalls,
      tokens: usage.inputTokens + usage.outputTokens,
    };
    this.shared = new SharedLimits(parts.limits, parts.above?.shared, { own, below });
    this.state = { ...stored.state };
    this.lastStorable = stored.state;
    this.told = new ToldState(this.state, parts.redactor);
    this.messages = [...parts.messages];
    this.stepNumber = stored.step;
    this.fence = { runId: this.runId, epoch: this.epoch, check: () => this.check(), isHeld: () => this.isHeld() };
    this.log = parts.log(this);
  }

  /** What it has spent so far; failed operations are only needed where it may be resumed. */
  counters(when?: 'suspending'): RunCounters {
    const failures = when === undefined ? undefined : storedFailures(this.ledger.failedOperations);
    return { ...this.ledger.counters(), below: this.shared.below, failures };
  }

  /** What a client is told at the end of this segment. */
  spent(): ReturnType<typeof usageOfSegment> {
    return usageOfSegment(this.stored.counters, this.ledger.usage, this.shared.below);
  }

  /** Says what has changed in the state since it was last told. */
  tellState(): void {
    const news = this.told.news();
    if (news !== undefined) this.log.emit(news);
  }

  /** The state as it is now. @throws InvalidQueryError where a tool or an agent has made it what no store takes */
  storableState(): Readonly<Record<string, JsonValue>> {
    return (this.lastStorable = storableState(this.state));
  }

  /** The same for the end, which must be stored whatever the state has become: then as it last was. */
  finalState(): Readonly<Record<string, JsonValue>> {
    try {
      return this.storableState();
    } catch {
      return this.lastStorable;
    }
  }

  /** The very object stays: executors hold it. */
  restoreState(state: Readonly<Record<string, JsonValue>>): void {
    for (const name of Object.keys(this.state)) delete this.state[name];
    Object.assign(this.state, state);
  }

  /** Throws what forbids to start anything more. */
  check(): void {
    this.cancellation.signal.throwIfAborted();
    this.parts.checkLease(this);
  }

  private isHeld(): boolean {
    try {
      this.parts.checkLease(this);
      return true;
    } catch {
      return false;
    }
  }

  /** Throws when the run has ended or waits: whatever the executor does with that, nothing more starts. */
  assertOpen(): void {
    if (this.end !== undefined) throw this.end.error;
    if (this.suspendedFor !== undefined) throw suspension(this.suspendedFor);
  }

  /** Aborted once it waits: an executor that does not let that pass has its grace, like one that is cancelled. */
  get parked(): AbortSignal {
    return this.parking.signal;
  }

  /** It waits from here on. Returns what its executor is thrown. */
  park(waits: Waits): RunSuspended {
    this.suspendedFor = waits;
    const suspended = suspension(waits);
    this.parking.abort(suspended);
    return suspended;
  }

  lost(): void {
    this.cancellation.stop(new LeaseLostError(this.runId));
  }

  cancelled(source: CancelSource, reason: string): void {
    this.cancellation.cancel(source, reason);
  }

  /** Starts the clock of `limits.duration`; the caller stops it. */
  overtime(): NodeJS.Timeout | undefined {
    const { duration } = this.parts.limits;
    if (duration === undefined) return undefined;
    return timerOf(duration, () => this.cancellation.stop(new LimitExceededError('duration', duration)));
  }

  emit(event: EmittedEvent): void {
    if (event.type === 'text.delta') {
      const before = this.partial?.messageId === event.messageId ? this.partial.text : '';
      this.partial = { messageId: event.messageId, text: before + event.delta };
    }
    // The one value that an executor makes up: whatever it is, it must not break the stream.
    const shown = event.type === 'custom' ? { ...event, value: this.parts.redactor.redact(event.value) } : event;
    this.log.emit(shown);
  }
}
