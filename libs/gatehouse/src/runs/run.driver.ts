import { Injectable, Logger } from '@nestjs/common';
import { RunAbortedError } from '../contracts/errors/run-aborted.error.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { InspectionFailedError } from '../contracts/errors/inspection-failed.error.js';
import { ControlError } from '../contracts/errors/control.error.js';
import { LeaseLostError } from '../contracts/errors/lease-lost.error.js';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { RunStoppedError } from '../contracts/errors/run-stopped.error.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import type { StoredStep } from '../contracts/ports/stored.step.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { RunCandidate, RunExecutor, RunOutcome } from '../contracts/run.js';
import type { RunStage, TerminalStatus } from '../contracts/statuses.js';
import { Lineage } from '../operations/lineage.js';
import { asError, type RunEnd } from '../operations/passage.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import { askable } from '../values/askable.js';
import { describeError } from '../values/error-text.js';
import { timeBoxed } from '../values/time-box.js';
import { within } from '../values/within.js';
import { checkCandidate } from './candidate.check.js';
import { CommitStage } from './commit.stage.js';
import type { DecidedEnd } from './decided.end.js';
import type { LiveRun } from './live.run.js';
import { tellListeners } from './listeners.told.js';
import { LiveRunContext } from './live.run.context.js';
import { RunEnding } from './run.ending.js';
import { StepRunner } from './step.runner.js';
import { traced } from './traced.segment.js';
import { suspendedOutcome, type Waits } from './waits.js';

/** What a resumed run brings with it. */
export interface Resumption extends Waits {
  readonly step?: StoredStep;
}

/** Drives one segment of a run, from its executor's first word to a suspension or the terminal record. */
@Injectable()
export class RunDriver {
  private readonly logger = new Logger('gatehouse.runs');

  constructor(
    private readonly steps: StepRunner,
    private readonly commits: CommitStage,
    private readonly ending: RunEnding,
    private readonly tools: ToolRegistry,
    private readonly options: ResolvedOptions,
    private readonly traces: TraceContext,
    private readonly lineage: Lineage,
  ) {}

  drive(live: LiveRun, executor: RunExecutor, resumption?: Resumption): Promise<RunOutcome> {
    return traced(this.traces, live, () => this.driven(live, executor, resumption));
  }

  private async driven(live: LiveRun, executor: RunExecutor, resumption?: Resumption): Promise<RunOutcome> {
    const decided = await this.decide(live, executor, resumption);
    if (decided === undefined) {
      return suspendedOutcome(live.suspendedFor ?? { approvals: [], deferrals: [] });
    }
    return this.finish(live, decided);
  }

  /** Ends a run that has no executor any more: superseded, cancelled while it waited, or its process is gone. */
  conclude(live: LiveRun, decided: DecidedEnd, resumption?: Resumption): Promise<RunOutcome> {
    return traced(this.traces, live, async () => {
      if (resumption?.step !== undefined) this.steps.restore(live, resumption.step, resumption);
      return this.finish(live, decided);
    });
  }

  /** Ends a run that something ended outside its executor. A cancellation came first. */
  fail(live: LiveRun, ends: RunEnd): Promise<RunOutcome> {
    if (!live.cancellation.signal.aborted) live.end ??= ends;
    return this.finish(live, failed(live, ends.error));
  }

  private async decide(live: LiveRun, executor: RunExecutor, resumption?: Resumption): Promise<DecidedEnd | undefined> {
    try {
      const candidate = await this.execute(live, executor, resumption);
      live.assertOpen();
      live.check();
      const checked = await checkCandidate(live, candidate);
      return 'stage' in checked ? { status: 'failed', ...checked } : await this.commits.commit(live, checked);
    } catch (thrown) {
      if (live.suspendedFor !== undefined) return undefined;
      const error = askable(thrown);
      const decided = failed(live, error);
      this.noteOther(live, decided, error);
      return decided;
    }
  }

  /** What ended the run stands; what its executor threw on the way out (a cleanup that broke, say) is at least in the log. */
  private noteOther({ runId }: LiveRun, { error }: DecidedEnd, thrown: unknown): void {
    if (thrown === error || (thrown instanceof Error && thrown.name === 'AbortError')) return;
    this.logger.warn(`Run ${runId} had ended when its executor threw ${describeError(thrown)}.`);
  }

  private execute(live: LiveRun, executor: RunExecutor, resumption?: Resumption): Promise<RunCandidate> {
    const run = async () => {
      // First: whatever ends the run from here on, what waited gets its record.
      if (resumption?.step !== undefined) this.steps.restore(live, resumption.step, resumption);
      live.check();
      const resumed =
        resumption?.step === undefined ? undefined : await this.steps.resume(live, resumption.step, resumption);
      const context = new LiveRunContext(live, this.steps, this.tools, this.lineage, resumed);
      try {
        return await executor.execute(context);
      } finally {
        await context.settled();
      }
    };
    // An executor that ignores the signal, or that its run waits, cannot keep its run: operations have had their grace by then.
    const signal = AbortSignal.any([live.cancellation.signal, live.parked]);
    return timeBoxed(run(), { signal, grace: this.options.runs.grace * 2 });
  }

  private async finish(live: LiveRun, decided: DecidedEnd): Promise<RunOutcome> {
    const { error } = decided;
    if (error instanceof ControlError) error.runId ??= live.runId;
    await this.childrenEnded(live);
    // What waits is not ended by a process that cannot tell whether the run is its own: whoever finds it lets it wait again.
    if (error instanceof LeaseLostError && live.step?.canWait === true) return lost(live);
    const record = await this.ending.end(live, decided);
    // Another end came first, or another process owns the run: what it says there stands.
    if (record === undefined) return lost(live);
    await tellListeners(live.parts.roles.listeners, record, error);
    if (decided.status === 'completed') return { status: 'completed', output: decided.output, text: lastText(live) };
    return {
      status: decided.status,
      stage: decided.stage ?? 'executor',
      error: error ?? new Error('The run was interrupted.'),
    };
  }

  /** Where a run is cancelled, those its calls started get their grace too: their records are there before its own. */
  private async childrenEnded({ children, cancellation }: LiveRun): Promise<void> {
    if (children.size === 0 || !cancellation.signal.aborted) return;
    const ended = Promise.allSettled(children);
    await within(ended, this.options.runs.grace * 2, () => new Error('late')).catch(() => undefined);
  }
}

const lost = ({ runId }: LiveRun): RunOutcome => ({
  status: 'interrupted',
  stage: 'executor',
  error: new LeaseLostError(runId),
});

/** What a thrown error makes of a run: what ended it first stands, whatever the executor made of it. */
const failed = (live: LiveRun, thrown: unknown): DecidedEnd => {
  const { signal } = live.cancellation;
  const end = live.end ?? {
    error: signal.aborted ? asError(signal.reason) : asError(thrown),
    stage: 'executor' as RunStage,
  };
  // What ended a run below, and was thrown on, is an ordinary failure of this one.
  const ours = !(end.error instanceof ControlError) || (end.error.runId ?? live.runId) === live.runId;
  if (!ours) return { status: 'failed', stage: end.stage, error: end.error };
  return { status: statusOf(end.error), stage: stageOf(end.error, end.stage), error: end.error };
};

const statusOf = (error: Error): TerminalStatus => {
  if (error instanceof RunCancelledError) return 'cancelled';
  if (error instanceof RunAbortedError || error instanceof HookAbortError) return 'aborted';
  return error instanceof LeaseLostError ? 'interrupted' : 'failed';
};

const stageOf = (error: Error, stage: RunStage): RunStage =>
  stage !== 'executor' ? stage : (STAGES.find(([type]) => error instanceof type)?.[1] ?? stage);

const STAGES: readonly (readonly [abstract new (...args: never[]) => Error, RunStage])[] = [
  [InspectionFailedError, 'operation_inspection'],
  [LimitExceededError, 'limit'],
  [RunStoppedError, 'limit'],
];

const lastText = (live: LiveRun): string => {
  const last = live.messages.findLast((message) => message.role === 'assistant');
  return last?.role === 'assistant' ? last.text : '';
};
