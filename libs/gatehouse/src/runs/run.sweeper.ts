import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RunDispatcher } from '../contracts/ports/run.dispatcher.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import type { StoredStep } from '../contracts/ports/stored.step.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { describeError } from '../values/error-text.js';
import { newId } from '../values/ids.js';
import { LONGEST_TIMER } from '../values/timers.js';
import type { DecidedEnd } from './decided.end.js';
import type { LiveRun } from './live.run.js';
import { RunCancellation } from './run.cancellation.js';
import { RunDriver } from './run.driver.js';
import { RunIntake } from './run.intake.js';
import { RunLease } from './run.lease.js';
import { RunOpener } from './run.opener.js';
import { RunPlan } from './run.plan.js';
import { takeOverRefusal } from './run.refusals.js';
import { WaitingAgain } from './waiting.again.js';
import { waitsForNothing, type Waits } from './waits.js';
import { INTERRUPTED, wantedCancel, wantedEnd } from './wanted.end.js';

/** Closes runs whose process is gone, and resumes those that wait for nobody any more. Any replica may. */
@Injectable()
export class RunSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.runs');
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    private readonly dispatcher: RunDispatcher,
    private readonly plan: RunPlan,
    private readonly opener: RunOpener,
    private readonly driver: RunDriver,
    private readonly lease: RunLease,
    private readonly waiting: WaitingAgain,
    private readonly intake: RunIntake,
    private readonly options: ResolvedOptions,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), Math.min(this.options.runs.lease / 4, LONGEST_TIMER));
    this.timer.unref();
    void this.sweep();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** One round. Never throws. */
  sweep(): Promise<void> {
    this.sweeping = this.sweeping.then(() => this.round());
    return this.sweeping;
  }

  private async round(): Promise<void> {
    try {
      const since = this.opener.now();
      const { orphans, ready, queued, overdue, stranded } = await this.store.sweep(this.lease.ownership);
      for (const run of orphans) await this.attempt(run.id, 'closed', () => this.close(run, since));
      await this.intake.forgetEnded();
      for (const runId of queued) await this.attempt(runId, 'handed over', () => this.dispatcher.dispatch(runId));
      for (const runId of overdue) await this.attempt(runId, 'closed', () => this.closeOverdue(runId));
      if (!this.options.approvals.autoResume) return;
      for (const runId of ready) await this.attempt(runId, 'resumed', () => this.dispatcher.dispatch(runId));
      for (const runId of stranded) await this.attempt(runId, 'closed', () => this.closeStranded(runId));
    } catch (error) {
      this.logger.warn(`A sweep failed and is tried again: ${describeError(error)}`);
    }
  }

  /** One run that cannot be helped must not keep the others waiting. */
  private async attempt(runId: string, become: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn(`Run ${runId} could not be ${become} and is tried again: ${describeError(error)}`);
    }
  }

  /** What only asked, or was lost before it claimed what was approved, has done nothing: the run waits, for whoever resumes it next. */
  private async waitsAgain({ runId }: LiveRun, waits: Waits): Promise<void> {
    this.logger.warn(`Run ${runId} waits again: its process is gone.`);
    if (waitsForNothing(waits) && this.options.approvals.autoResume) await this.dispatcher.dispatch(runId);
  }

  /** Of what may have been under way nobody knows the outcome, whoever wanted it cancelled. */
  private lost(run: StoredRun, step: StoredStep | undefined): DecidedEnd {
    const cancelled = wantedCancel(run);
    const isOpen = step?.operations.some(({ result }) => result === undefined) === true;
    if (cancelled !== undefined && !isOpen) return wantedEnd(cancelled);
    return { status: 'interrupted', stage: 'executor', open: 'interrupted' };
  }

  private async closeOverdue(runId: string): Promise<void> {
    await this.intake.endOverdue(runId);
    this.logger.warn(`Run ${runId} was interrupted: it was queued, and no process began it in time.`);
  }

  private async closeStranded(runId: string): Promise<void> {
    const since = this.opener.now();
    const [segment, token] = [newId(), newId()];
    const take = { runId, purpose: 'end', segment, openBecome: 'cancelled', cancel: INTERRUPTED, token } as const;
    const result = await this.store.takeOver(take, this.lease.ownership);
    if ('taken' in result) await this.close(result.taken, since, segment);
    else if (result.refused === 'segment') throw takeOverRefusal(runId, result.refused);
  }

  private async close(run: StoredRun, since: number, segment = `${run.id}:lost`): Promise<void> {
    // Nothing of it runs here, so it needs no executor and no roles of its own.
    const local = { agent: { execute: () => Promise.reject(new Error('lost')) } };
    const live = await this.opener.open(run, await this.plan.parts(run, local, segment, new RunCancellation()), since);
    try {
      await this.opener.recall(live);
      const last = await this.reader.lastStep(run.id);
      const step = last?.step === run.step ? last : undefined;
      const found = step === undefined ? undefined : await this.waiting.letWait(live, step);
      if (found !== undefined && 'waits' in found) return await this.waitsAgain(live, found.waits);
      const decided = found?.ends ?? this.lost(run, step);
      const open =
        step === undefined || found !== undefined ? undefined : { step, ...(await this.waiting.answers(live)) };
      await this.driver.conclude(live, decided, open);
      this.logger.warn(`Run ${run.id} was ${decided.status}: its process is gone.`);
    } finally {
      this.opener.close(live);
    }
  }
}
