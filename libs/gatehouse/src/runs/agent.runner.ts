import { Injectable } from '@nestjs/common';
import { ApprovalService } from '../approvals/approval.service.js';
import { ApprovalForbiddenError } from '../contracts/errors/approval-forbidden.error.js';
import { RunConflictError } from '../contracts/errors/run-conflict.error.js';
import { RunNotResumableError } from '../contracts/errors/run-not-resumable.error.js';
import { RunStillWaitingError } from '../contracts/errors/run-still-waiting.error.js';
import { ControlError } from '../contracts/errors/control.error.js';
import { RunNotFoundError } from '../contracts/errors/run-not-found.error.js';
import type { CancelSource } from '../contracts/errors/run-cancelled.error.js';
import { ShuttingDownError } from '../contracts/errors/shutting-down.error.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import type { ResumeRequest, RunHandle, RunOutcome, RunRequest } from '../contracts/run.js';
import type { RunStatus } from '../contracts/statuses.js';
import { newId } from '../values/ids.js';
import { isSomebody } from './caller.facts.js';
import { CancelNote } from './cancel.note.js';
import { tellParent } from './child.news.js';
import { ExternalResults } from './external.results.js';
import type { LiveRun } from './live.run.js';
import { RunCancellation } from './run.cancellation.js';
import { RunDriver, type Resumption } from './run.driver.js';
import { RunFeed } from './run.feed.js';
import { RunHandover } from './run.handover.js';
import { RunIntake, type Queued, type SegmentIds, type Taken } from './run.intake.js';
import { RunOpener } from './run.opener.js';
import { RunPlan } from './run.plan.js';
import { RunTable } from './run.table.js';
import { RunTicket } from './run.ticket.js';
import { ToldOutcome } from './told.outcome.js';
import { WaitingAgain } from './waiting.again.js';
import { openOf, suspendedOutcome, waitsForNothing } from './waits.js';

const MOST_APPROVALS = 500;
const MOST_LOOKS = 5;

/**
 * Starts, resumes and cancels runs.
 *
 * @example
 * ```ts
 * const run = runner.start({ agent: 'support', input: 'Refund order 1001', user });
 * for await (const event of run.events) console.log(event.type);
 * const outcome = await run.outcome;
 * ```
 */
@Injectable()
export class AgentRunner {
  constructor(
    private readonly intake: RunIntake,
    private readonly plan: RunPlan,
    private readonly opener: RunOpener,
    private readonly driver: RunDriver,
    private readonly table: RunTable,
    private readonly feed: RunFeed,
    private readonly reader: RunReader,
    private readonly approvals: ApprovalService,
    private readonly results: ExternalResults,
    private readonly handover: RunHandover,
    private readonly told: ToldOutcome,
    private readonly waiting: WaitingAgain,
    private readonly cancelNote: CancelNote,
  ) {}

  /**
   * Returns at once; `started` rejects where the run was refused: `ThreadNotFoundError`, `RunConflictError`, `ShuttingDownError`,
   * `ConfigurationError` for an unknown agent.
   */
  start(request: RunRequest): RunHandle {
    const runId = request.runId ?? newId();
    const ids = { runId, threadId: request.threadId ?? newId(), segment: request.segment ?? runId };
    const cancellation = new RunCancellation();
    const above = this.plan.above();
    if (this.plan.isDispatched(request, above)) {
      return this.launch(ids, request.signal, cancellation, () => this.intake.queue(request, ids));
    }
    // First: where a tool hands its own signal on, the parent is who cancelled.
    const unfollow = cancellation.follow(above?.signal, 'parent');
    const handle = this.launch(ids, request.signal, cancellation, () => this.intake.start(request, ids, cancellation));
    const settled = handle.outcome.then(unfollow, unfollow).finally(() => above?.scope.children?.delete(settled));
    above?.scope.children?.add(settled);
    if (above !== undefined) tellParent(above, handle, request.agent);
    // At once: a client can leave while the run is being stored.
    // But never in the place of a run under way, whose id was used a second time.
    if (this.table.get(runId) === undefined) this.table.add(runId, { cancellation, outcome: handle.outcome });
    return handle;
  }

  /**
   * Keeps what deferred calls came to (all or none), then decides, where decisions are given (all or none), and goes on with a run that waits for nobody
   * any more. `started` rejects with `RunNotResumableError`, or with what refused a result (`RunNotFoundError`, `DeferredCallNotFoundError`,
   * `ExternalResultConflictError`) or a decision; with `RunStillWaitingError` where all of it counts and more is waited for.
   */
  resume(request: ResumeRequest): RunHandle {
    const { runId, user, decisions = [], results = [], segment = newId() } = request;
    const cancellation = new RunCancellation();
    return this.launch({ runId, threadId: '', segment }, request.signal, cancellation, async () => {
      if (!isSomebody(user)) throw new ApprovalForbiddenError(runId, 'nobody is signed in');
      await this.intake.mayResume(runId);
      // First: they say what has happened, whatever is said to a decision beside them.
      await this.results.keep(runId, results, user);
      await this.approvals.decideAll(decisions, user);
      const taken = this.goOn(runId, segment, cancellation);
      const counts = decisions.length + results.length > 0;
      return counts ? taken.catch((error: unknown) => this.counted(runId, error)) : taken;
    });
  }

  private async goOn(runId: string, segment: string, cancellation: RunCancellation): Promise<Taken | Queued> {
    return (await this.intake.requeue(runId, segment)) ?? this.intake.resume(runId, segment, cancellation);
  }

  /** Answers stand, whatever kept the run from going on: whoever gave them must not take them for lost. */
  private async counted(runId: string, refusal: unknown): Promise<never> {
    if (refusal instanceof RunConflictError) throw new RunConflictError(`${refusal.message} Your answers count.`);
    if (!(refusal instanceof RunNotResumableError)) throw refusal;
    const { items } = await this.reader.approvals({ runId, status: 'pending', limit: MOST_APPROVALS });
    const open = openOf({ approvals: items, deferrals: await this.reader.deferrals(runId) });
    const { approvals, deferred } = suspendedOutcome(open);
    if (!waitsForNothing(open)) throw new RunStillWaitingError(runId, approvals, deferred);
    throw new RunNotResumableError(
      runId,
      'your answer counts, and the run already goes on elsewhere, or has ended: follow its events.',
    );
  }

  /** Executes a queued run, or goes on with a suspended one whose decisions are all in, here: what a dispatcher, or its worker, does. */
  proceed(runId: string): RunHandle {
    const segment = newId();
    const cancellation = new RunCancellation();
    return this.launch({ runId, threadId: '', segment }, undefined, cancellation, async () => {
      await this.intake.mayResume(runId);
      return this.intake.resume(runId, segment, cancellation);
    });
  }

  /** Cancels from anywhere; idempotent. Answers the status that stands. Throws `RunNotFoundError`. */
  async cancel(runId: string, reason = '', source: CancelSource = 'requested'): Promise<RunStatus> {
    const here = this.table.get(runId);
    if (here !== undefined) {
      here.cancellation.cancel(source, reason);
      await here.outcome.catch(() => undefined);
    }
    const stored = await this.reader.run(runId);
    if (stored === undefined) throw new RunNotFoundError(runId);
    let { status } = stored;
    // It may be taken over while we try to end it, and wait again before its owner could be asked.
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      if (waits(status)) status = await this.endWaiting(runId, source, reason);
      if (status === 'running') status = (await this.intake.requestCancel(runId, source, reason)) ?? status;
      if (!waits(status)) break;
    }
    return status;
  }

  private async endWaiting(runId: string, source: CancelSource, reason: string): Promise<RunStatus> {
    await this.intake.endWaiting(runId, 'cancelled', source, reason);
    return (await this.reader.run(runId))?.status ?? 'cancelled';
  }

  private launch(
    ids: SegmentIds,
    signal: AbortSignal | undefined,
    cancellation: RunCancellation,
    open: () => Promise<Taken | Queued>,
  ): RunHandle {
    const unfollow = cancellation.follow(signal, 'signal');
    const opening = this.opened(open).catch(refused(ids.runId));
    const begun = opening.then((opened) => {
      // Only once it is ours: a resumption that is refused must not hide the one under way.
      if ('live' in opened) this.table.add(ids.runId, { cancellation, outcome: outcome() });
      else this.handOver(ids.runId, signal === undefined ? undefined : cancellation.signal);
      return opened;
    });
    // Only then: the table cancels what comes to an application that closes, before anything of it runs.
    const driven = this.table
      .during(begun)
      .then<RunOutcome | Queued>((opened) => ('live' in opened ? this.drive(opened) : opened));
    const outcome = once(() => driven.then((end) => ('queued' in end ? this.told.of(ids.runId, end.firstSeq) : end)));
    const started = begun.then(({ firstSeq }) => ({ firstSeq }));
    // Who executes it elsewhere is only asked to by whoever wants to know, or has a signal to follow.
    const ended = signal === undefined ? driven : driven.then(outcome);
    ended.then(unfollow, unfollow);
    const cancelling = (reason?: string) => this.cancel(ids.runId, reason);
    return new RunTicket(ids.runId, ids.threadId, started, outcome, this.feed, cancelling);
  }

  /** What is taken over while the application closes waits as before, for another process; what was only being started ends as it begins. */
  private async opened(open: () => Promise<Taken | Queued>): Promise<Taken | Queued> {
    if (this.table.closed) throw new ShuttingDownError();
    const opened = await open();
    if (!this.table.closed || !('live' in opened) || opened.resumption === undefined) return opened;
    if (await this.putBack(opened.live, opened.resumption)) throw new ShuttingDownError();
    return opened;
  }

  private async putBack(live: LiveRun, resumption: Resumption): Promise<boolean> {
    let waiting = true;
    try {
      waiting = await this.waiting.asBefore(live, resumption);
      return waiting;
    } finally {
      // Also where it failed: its lease ends, and whoever finds it lets it wait.
      if (waiting) this.opener.close(live);
    }
  }

  private handOver(runId: string, signal: AbortSignal | undefined): void {
    const cancel = () => void this.cancel(runId, '', 'signal').catch(() => undefined);
    if (signal?.aborted === true) return cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    void this.handover.handOver(runId);
  }

  private async drive({ live, agent, resumption }: Taken): Promise<RunOutcome> {
    const { unprepared: error } = live.parts;
    const overtime = live.overtime();
    const unfollow = this.cancelNote.follow(live);
    try {
      if (error === undefined) return await this.driver.drive(live, this.plan.agent(agent).executor, resumption);
      return await this.driver.conclude(live, { status: 'failed', stage: 'preparation', error }, resumption);
    } finally {
      if (live.suspendedFor === undefined) this.intake.forget(live.runId);
      clearTimeout(overtime);
      unfollow();
      this.opener.close(live);
    }
  }
}

const waits = (status: RunStatus): boolean => status === 'suspended' || status === 'queued';

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    if (made === undefined) {
      made = make();
      // Whoever wants to know asks; a refusal nobody asks about must not end the process.
      made.catch(() => undefined);
    }
    return made;
  };
};

/** What refuses a child run is an ordinary failure of the operation that started it. */
const refused =
  (runId: string) =>
  (error: unknown): never => {
    if (error instanceof ControlError) error.runId ??= runId;
    throw error;
  };
