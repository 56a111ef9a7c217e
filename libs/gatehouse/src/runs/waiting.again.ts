import { Injectable } from '@nestjs/common';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore, type StepProgress } from '../contracts/ports/run.store.js';
import type { StoredStep } from '../contracts/ports/stored.step.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { Operation } from '../operations/operation.js';
import { OperationPipeline } from '../operations/operation.pipeline.js';
import { Announcements } from './announcements.js';
import { closingScope } from './closing.scope.js';
import type { DecidedEnd } from './decided.end.js';
import type { LiveRun } from './live.run.js';
import { lostCall } from './lost.ending.js';
import type { Resumption } from './run.driver.js';
import { resultEvent, ScopeFactory } from './scope.factory.js';
import { StepRunner } from './step.runner.js';
import { isUnclaimed, waitsIn } from './unclaimed.step.js';
import { openOf, type Waits } from './waits.js';
import { wantedCancel, wantedEnd } from './wanted.end.js';

const MOST_APPROVALS = 500;

/** The run waits, or is to be ended so: its response is restored. */
export type WaitingOrEnd = { readonly waits: Waits } | { readonly ends: DecidedEnd };

/** The operations of a response, those beside what waits, and results that the stream has not been told. */
interface Settled {
  readonly all: readonly Operation[];
  readonly beside: readonly Operation[];
  readonly results: readonly RunEvent[];
}

const NONE: Settled = { all: [], beside: [], results: [] };

/**
 * Lets a run wait whose process is gone, where nothing that waits was started: what people said, and what they will say, counts. A call beside it that
 * had not asked may have run: it ends as its process had told, or interrupted, and is not run again.
 */
@Injectable()
export class WaitingAgain {
  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    private readonly steps: StepRunner,
    private readonly scopes: ScopeFactory,
    private readonly pipeline: OperationPipeline,
    private readonly announcements: Announcements,
  ) {}

  /** What it waits for now, or how it ends where somebody wants it ended; nothing where it cannot wait, and is interrupted. */
  async letWait(live: LiveRun, stored: StoredStep): Promise<WaitingOrEnd | undefined> {
    const answers = await this.answers(live);
    const wanted = wantedCancel(live.stored);
    const mayWait = !live.stored.local && live.stored.cancelRequested === undefined;
    if ((!mayWait && wanted === undefined) || !isUnclaimed(stored, answers)) return undefined;
    const open = openOf(answers);
    const waits = waitsIn(answers);
    const step = this.steps.restore(live, stored, answers);
    const beside = step.operations.filter(({ id, approvalId }) => approvalId === undefined && !waits.has(id));
    const results = await this.ended(live, beside);
    if (beside.length > 0) this.steps.catchUp(live, stored);
    const cancelled = wanted ?? (await this.givenBack(live, stored, open, { all: step.operations, beside, results }));
    if (cancelled !== undefined) {
      for (const event of results) live.log.emit(event);
      return { ends: wantedEnd(cancelled, stored, answers) };
    }
    const scope = this.scopes.scope(live, { direct: false });
    for (const operation of beside) await this.pipeline.tell(operation, scope);
    return { waits: open };
  }

  /** Lets a run wait as it did that was taken over to go on and of which nothing was begun. False where it cannot wait: drive it, and it ends. */
  async asBefore(live: LiveRun, resumption: Resumption): Promise<boolean> {
    if (live.stored.local || resumption.step === undefined) return false;
    const open = openOf(resumption);
    const cancelled = await this.givenBack(live, resumption.step, open);
    if (cancelled === undefined) live.suspendedFor = open;
    else live.cancellation.stop(cancelled);
    return cancelled === undefined;
  }

  /** Nothing once it waits; else what somebody asked for meanwhile: then nothing was written, and the run is still ours. */
  private async givenBack(
    live: LiveRun,
    stored: StoredStep,
    open: Waits,
    { all, beside, results }: Settled = NONE,
  ): Promise<RunCancelledError | undefined> {
    const progress = beside.length === 0 ? undefined : this.progress(live, stored, all, beside);
    const events = [...results, ...live.log.closing(this.announcements.suspended(live, open))];
    try {
      await live.log.transact(events, (frames) => this.store.giveBack(live.fence, frames, progress));
      return undefined;
    } catch (error) {
      if (!(error instanceof RunCancelledError)) throw error;
      live.log.reopen();
      live.ledger.returnRecords(progress?.operations ?? []);
      return error;
    }
  }

  /** Oldest first: of several approvals of one call, the last one counts. */
  async answers({ runId }: LiveRun): Promise<Waits> {
    const { items } = await this.reader.approvals({ runId, limit: MOST_APPROVALS });
    return { approvals: items.toReversed(), deferrals: await this.reader.deferrals(runId) };
  }

  /** The results that the stream has not been told yet. */
  private async ended(live: LiveRun, beside: readonly Operation[]): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    const scope = closingScope(this.scopes.scope(live, { direct: false }));
    for (const operation of beside) {
      const { ending, told } = lostCall(operation, live.resultsTold);
      operation.told = told;
      await this.pipeline.conclude(operation, { ...scope, settled: undefined }, ending);
      const { toolCallId, inText, result } = operation;
      if (!told && !inText && result !== undefined) events.push(resultEvent(toolCallId, result));
    }
    return events;
  }

  /** As if the run had come to its suspension: what the run spent is counted, what waits is marked so, what was beside it is settled. */
  private progress(
    live: LiveRun,
    { state: _, ...stored }: StoredStep,
    operations: readonly Operation[],
    beside: readonly Operation[],
  ): StepProgress {
    const now = new Map(operations.map((operation) => [operation.id, operation]));
    const step: StoredStep = {
      ...stored,
      operations: stored.operations.map((one) => {
        const operation = now.get(one.operationId);
        if (operation === undefined) return one;
        if (beside.includes(operation)) return operation.stored();
        const deferred = operation.deferral === undefined ? one.deferred : true;
        return { ...one, approvalId: operation.approvalId, deferred };
      }),
    };
    return {
      step,
      messages: [],
      operations: live.ledger.takeRecords(),
      state: live.state,
      counters: live.counters('suspending'),
    };
  }
}
