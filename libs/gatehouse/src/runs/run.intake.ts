import { Injectable } from '@nestjs/common';
import { NewerCheckpointError } from '../contracts/errors/newer-checkpoint.error.js';
import { RunCancelledError, type CancelSource } from '../contracts/errors/run-cancelled.error.js';
import { RunOverdueError } from '../contracts/errors/run-overdue.error.js';
import { ShuttingDownError } from '../contracts/errors/shutting-down.error.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import {
  RunStore,
  type Ownership,
  type Queueing,
  type StartRunResult,
  type TakeOver,
  type TakeOverResult,
} from '../contracts/ports/run.store.js';
import type { NewRun, StoredRun } from '../contracts/ports/stored.run.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { RunRequest } from '../contracts/run.js';
import type { RunStatus } from '../contracts/statuses.js';
import { Wakeup } from '../contracts/ports/wakeup.js';
import { newId } from '../values/ids.js';
import type { LineagePoint } from '../operations/lineage.js';
import { asError } from '../operations/passage.js';
import type { DecidedEnd } from './decided.end.js';
import type { LiveRun } from './live.run.js';
import { PersistencePatience } from './persistence.patience.js';
import { RunCancellation } from './run.cancellation.js';
import { RunDriver, type Resumption } from './run.driver.js';
import { CANCELS, RunLease } from './run.lease.js';
import { RunOpener, type OpeningParts } from './run.opener.js';
import { RunPlan, type LocalRequest } from './run.plan.js';
import { livesElsewhere, startRefusal, takeOverRefusal } from './run.refusals.js';
import { RunTable } from './run.table.js';
import { userMessages } from './user.messages.js';
import { INTERRUPTED } from './wanted.end.js';

export interface Taken {
  readonly live: LiveRun;
  readonly firstSeq: number;
  readonly agent: RunRequest['agent'];
  readonly resumption?: Resumption;
}

/** A run that waits for whoever takes it over. */
export interface Queued {
  readonly queued: StoredRun;
  readonly firstSeq: number;
}

export interface SegmentIds {
  readonly runId: string;
  readonly threadId: string;
  readonly segment: string;
}

type Ending = Pick<TakeOver, 'runId' | 'only' | 'openBecome' | 'cancel'>;

/** How this process comes to own a run: it starts it, takes it over to go on, or takes it over to end it. */
@Injectable()
export class RunIntake {
  /** What is not stored of runs that only this process can resume. */
  private readonly locals = new Map<string, LocalRequest>();

  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    private readonly wakeup: Wakeup,
    private readonly plan: RunPlan,
    private readonly opener: RunOpener,
    private readonly driver: RunDriver,
    private readonly lease: RunLease,
    private readonly patience: PersistencePatience,
    private readonly table: RunTable,
  ) {}

  async start(request: RunRequest, ids: SegmentIds, cancellation: RunCancellation): Promise<Taken> {
    const above = this.plan.above();
    const run = this.plan.newRun(request, ids, above);
    const since = this.opener.now();
    const stored = await this.persistStart(run, request, this.lease.ownership);
    this.wakeup.notify(stored.id);
    if (run.local) this.locals.set(run.id, request);
    const parts = () => this.parts(stored, request, ids.segment, cancellation, above);
    return this.opened(stored, parts, since, (live) => {
      live.tellState();
      return { live, firstSeq: 1, agent: request.agent };
    });
  }

  /** Stores a run that nobody executes yet; whoever takes it over first does. */
  async queue(request: RunRequest, ids: SegmentIds): Promise<Queued> {
    const stored = await this.persistStart(this.plan.newRun(request, ids), request, this.plan.queueing);
    this.wakeup.notify(stored.id);
    return { queued: stored, firstSeq: 1 };
  }

  /** The same for a suspended run that waits for nobody any more; nothing for one that only this process can execute. */
  async requeue(runId: string, segment: string): Promise<Queued | undefined> {
    const run = await this.patience.outlast(() => this.reader.run(runId));
    if (run === undefined || run.local || run.parentRunId !== undefined || !this.plan.dispatches) return undefined;
    const started = startedEvent(run, segment);
    const wanted = { runId, segment, started, token: newId(), ...this.plan.queueing };
    const result = await this.patience.outlast(() => this.store.requeue(wanted));
    if ('refused' in result) throw takeOverRefusal(runId, result.refused);
    this.wakeup.notify(runId);
    return { queued: result.queued, firstSeq: result.queued.lastSeq };
  }

  /**
   * Refuses, before anything is decided or taken over, what this process could not go on with: an approved call would run without the roles of
   * its run, or the run would end for want of an agent.
   */
  async mayResume(runId: string): Promise<void> {
    const run = await this.patience.outlast(() => this.reader.run(runId));
    if (run?.newerCheckpoint !== undefined) throw new NewerCheckpointError(`Run ${runId}`, run.newerCheckpoint);
    if (run?.local === true && !this.locals.has(runId)) throw livesElsewhere(runId);
    if (run?.local === false) this.plan.agent(run.agent);
  }

  async resume(runId: string, segment: string, cancellation: RunCancellation): Promise<Taken> {
    // Asked for before the application closed: it waits as before, and another process goes on with it.
    if (this.table.closed) throw new ShuttingDownError();
    const since = this.opener.now();
    const take = { runId, purpose: 'resume', segment, token: newId() } as const;
    const taken = await this.patience.outlast(() => this.store.takeOver(take, this.lease.ownership));
    if ('refused' in taken) throw takeOverRefusal(runId, taken.refused);
    return this.open(taken, segment, since, cancellation);
  }

  /** Ends a suspended or queued run for good: its approvals become what is said, its waiting calls get their one result. */
  async endWaiting(
    runId: string,
    openBecome: 'cancelled' | 'superseded',
    source: CancelSource,
    reason: string,
  ): Promise<void> {
    const open = openBecome === 'superseded' ? 'superseded' : 'skipped';
    const error = new RunCancelledError(source, reason);
    const cancel = { source, reason };
    await this.endTaken({ runId, openBecome, cancel }, { status: 'cancelled', stage: 'executor', error, open });
  }

  /** Cancels a run that another process executes, or will; one that waits for a person is left alone. */
  async cancelElsewhere(runId: string, source: CancelSource): Promise<void> {
    const error = new RunCancelledError(source);
    const decided = { status: 'cancelled', stage: 'executor', error, open: 'skipped' } as const;
    await this.endTaken({ runId, only: 'queued', cancel: { source, reason: '' } }, decided);
    await this.requestCancel(runId, source, '');
  }

  /** Ends a queued run that nobody took in time. */
  async endOverdue(runId: string): Promise<void> {
    const error = new RunOverdueError(runId, this.plan.queueing.startWithinMs);
    const decided = { status: 'interrupted', stage: 'preparation', error, open: 'skipped' } as const;
    await this.endTaken({ runId, only: 'queued', cancel: INTERRUPTED }, decided);
  }

  /** A shutdown waits for it: a run that waited must not be left half ended. */
  private endTaken(which: Ending, decided: DecidedEnd): Promise<void> {
    return this.table.during(this.endNow(which, decided));
  }

  private async endNow(which: Ending, decided: DecidedEnd): Promise<void> {
    const { runId } = which;
    const since = this.opener.now();
    // A name that nobody has used or can guess: whoever had taken it would keep the run from ever being ended.
    const segment = newId();
    const take = { ...which, purpose: 'end', segment, token: newId() } as const;
    const taken = await this.patience.outlast(() => this.store.takeOver(take, this.lease.ownership));
    if ('refused' in taken) {
      if (taken.refused === 'segment') throw takeOverRefusal(runId, taken.refused);
      // Somebody else has it, or ended it.
      return;
    }
    const { live, resumption } = await this.open(taken, segment, since, new RunCancellation());
    try {
      await this.driver.conclude(live, decided, resumption);
    } finally {
      this.forget(runId);
      this.opener.close(live);
    }
  }

  /** Asks the process that owns a run to cancel it, at once where the wake-up reaches it. Answers its status: only what runs can be asked. */
  async requestCancel(runId: string, source: CancelSource, reason: string): Promise<RunStatus | undefined> {
    const run = await this.store.requestCancel(runId, source, reason);
    this.wakeup.notify(CANCELS);
    return run?.status;
  }

  forget(runId: string): void {
    this.locals.delete(runId);
  }

  /** Drops what is kept of local runs that another process has ended. */
  async forgetEnded(): Promise<void> {
    for (const runId of [...this.locals.keys()]) {
      const run = await this.reader.run(runId);
      if (run === undefined || run.finishedAt !== undefined) this.forget(runId);
    }
  }

  private async open(
    { taken, step, approvals, deferrals, open }: Extract<TakeOverResult, { taken: StoredRun }>,
    wanted: string,
    since: number,
    cancellation: RunCancellation,
  ): Promise<Taken> {
    const local = this.localOf(taken);
    const { segment = wanted, firstSeq = taken.lastSeq + 1 } = open ?? {};
    return this.opened(
      taken,
      () => this.parts(taken, local, segment, cancellation),
      since,
      (live) => {
        // That of a queued run was said when it was queued.
        if (open === undefined) live.log.emit(startedEvent(taken, segment));
        live.tellState();
        return { live, firstSeq, agent: local.agent, resumption: { step, approvals, deferrals } };
      },
    );
  }

  /** Whatever throws before a run is driven leaves nothing of it here: its lease is not renewed, and the sweep finds it. */
  private async opened(
    run: StoredRun,
    parts: () => Promise<OpeningParts>,
    since: number,
    begin: (live: LiveRun) => Taken,
  ): Promise<Taken> {
    let live: LiveRun | undefined;
    try {
      live = await this.opener.open(run, await parts(), since);
      return begin(live);
    } catch (error) {
      this.forget(run.id);
      if (live !== undefined) this.opener.close(live);
      throw error;
    }
  }

  /** A run that is stored and cannot be prepared, a role that cannot be made, say, ends with its record. */
  private async parts(
    run: StoredRun,
    local: LocalRequest,
    segment: string,
    cancellation: RunCancellation,
    above?: LineagePoint,
  ): Promise<OpeningParts> {
    try {
      return await this.plan.parts(run, local, segment, cancellation, above);
    } catch (error) {
      return this.plan.bare(run, segment, cancellation, asError(error));
    }
  }

  /** A run with an inline executor, or roles of its own, goes on only where it lives; elsewhere it can only be ended. */
  private localOf(run: StoredRun): LocalRequest {
    if (!run.local) return { agent: run.agent };
    return this.locals.get(run.id) ?? { agent: lostExecutor(run.id) };
  }

  private async persistStart(run: NewRun, request: RunRequest, owner: Ownership | Queueing): Promise<StoredRun> {
    const messages = userMessages(request.input);
    const frames = [{ seq: 1, event: startedEvent(run, run.segment) }];
    const store = () => this.store.startRun(run, messages, frames, owner);
    let result = await this.patience.outlast(store);
    if ('refused' in result && (await this.superseded(result))) result = await this.patience.outlast(store);
    if ('started' in result) return result.started;
    throw startRefusal(run.threadId, result.refused);
  }

  /** A new message while something waits takes its place: denied, recorded, never silently run. */
  private async superseded(result: Extract<StartRunResult, { refused: unknown }>): Promise<boolean> {
    if (result.refused !== 'busy' || result.runId === undefined) return false;
    const other = await this.reader.run(result.runId);
    if (other?.status !== 'suspended') return false;
    await this.endWaiting(other.id, 'superseded', 'requested', 'superseded by a new message');
    return true;
  }
}

const startedEvent = (run: NewRun, segment: string): RunEvent => ({
  type: 'run.started',
  runId: run.id,
  threadId: run.threadId,
  segment,
});

const lostExecutor = (runId: string) => ({ execute: () => Promise.reject(livesElsewhere(runId)) });
