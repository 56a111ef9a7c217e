import { Injectable } from '@nestjs/common';
import { Clock } from '../../contracts/clock.js';
import type { Fence } from '../../contracts/ports/run.fence.js';
import {
  RunStore,
  type Ownership,
  type Queueing,
  type Renewal,
  type Requeue,
  type RequeueResult,
  type RunEnding,
  type StartRunResult,
  type StepProgress,
  type SweepResult,
  type TakeOver,
  type TakeOverResult,
  type Watching,
  type WatchRelease,
} from '../../contracts/ports/run.store.js';
import type { NewApproval, NewVote, StoredApproval, VotesResult } from '../../contracts/ports/stored.approval.js';
import type { AnswersResult, NewAnswer, NewDeferral, StoredDeferral } from '../../contracts/ports/stored.deferral.js';
import type { NewRun, RunCounters, StoredRun } from '../../contracts/ports/stored.run.js';
import type { StoredResult, StoredStep } from '../../contracts/ports/stored.step.js';
import type { RunFrame } from '../../contracts/run.events.js';
import type { ThreadMessage } from '../../contracts/thread.message.js';
import { sanitizeText } from '../../values/sanitizer.js';
import { claimApproval, requestMemoryApproval, resolveApproval, settleClaim } from './memory.claims.js';
import { answerMemoryCalls, deferMemoryCall } from './memory.deferrals.js';
import { finishRun } from './memory.finish.js';
import { renewLeases, sweepRuns } from './memory.leases.js';
import { giveRunBack, requeueRun, startMemoryRun, suspendRun, takeOverRun } from './memory.ownership.js';
import { copied, MemoryState } from './memory.state.js';
import { storedRun } from './memory.views.js';
import { voteAll } from './memory.votes.js';
import { expireEvents, unwatchRuns, watching, watchRuns } from './memory.watching.js';
import { fenced, newFrames, writeFrames, writeProgress, writeStep } from './memory.writes.js';

type Claim = Parameters<RunStore['claim']>[1];

/** Working state in this process: for tests and first steps; nothing survives a restart. */
@Injectable()
export class MemoryRunStore extends RunStore {
  constructor(
    private readonly state: MemoryState,
    private readonly clock: Clock,
  ) {
    super();
  }

  override startRun(
    run: NewRun,
    messages: readonly ThreadMessage[],
    frames: readonly RunFrame[],
    ownership: Ownership | Queueing,
  ): Promise<StartRunResult> {
    return this.state.transaction(() => startMemoryRun(this.state, run, messages, frames, ownership, this.clock.now()));
  }

  override takeOver(take: TakeOver, ownership: Ownership): Promise<TakeOverResult> {
    return this.state.transaction(() => takeOverRun(this.state, take, ownership, this.clock.now()));
  }

  override requeue(requeue: Requeue): Promise<RequeueResult> {
    return this.state.transaction(() => requeueRun(this.state, requeue, this.clock.now()));
  }

  override appendFrames(fence: Fence, frames: readonly RunFrame[]): Promise<void> {
    return this.state.transaction(() => {
      const run = fenced(this.state, fence);
      writeFrames(this.state, run, newFrames(this.state, fence.runId, frames));
    });
  }

  override startStep(
    fence: Fence,
    step: StoredStep,
    counters: RunCounters,
    frames: readonly RunFrame[],
  ): Promise<void> {
    return this.state.transaction(() => {
      const run = fenced(this.state, fence);
      writeFrames(this.state, run, newFrames(this.state, fence.runId, frames));
      writeStep(this.state, run, step, 'first');
      run.counters = copied(counters);
    });
  }

  override settleStep(fence: Fence, progress: StepProgress, frames: readonly RunFrame[]): Promise<void> {
    return this.state.transaction(() => {
      const run = fenced(this.state, fence);
      writeFrames(this.state, run, newFrames(this.state, fence.runId, frames));
      writeProgress(this.state, run, progress, this.clock.now());
    });
  }

  override requestApproval(fence: Fence, approval: NewApproval): Promise<StoredApproval> {
    return this.state.transaction(() =>
      requestMemoryApproval(this.state, fenced(this.state, fence), approval, this.clock.now()),
    );
  }

  override defer(fence: Fence, deferral: NewDeferral, withdrawn: StoredResult): Promise<StoredDeferral> {
    return this.state.transaction(() =>
      deferMemoryCall(this.state, fenced(this.state, fence), deferral, withdrawn, this.clock.now()),
    );
  }

  override answer(runId: string, answers: readonly NewAnswer[]): Promise<AnswersResult> {
    return this.state.transaction(() => answerMemoryCalls(this.state, runId, answers, this.clock.now()));
  }

  override suspend(
    fence: Fence,
    progress: StepProgress,
    frames: readonly RunFrame[],
  ): Promise<'suspended' | 'decided'> {
    return this.state.transaction(() => suspendRun(this.state, fence, progress, frames, this.clock.now()));
  }

  override giveBack(fence: Fence, frames: readonly RunFrame[], progress?: StepProgress): Promise<void> {
    return this.state.transaction(() => giveRunBack(this.state, fence, frames, this.clock.now(), progress));
  }

  override vote(votes: readonly NewVote[]): Promise<VotesResult> {
    return this.state.transaction(() => voteAll(this.state, votes, this.clock.now()));
  }

  override claim(fence: Fence, claim: Claim): Promise<'claimed' | 'refused'> {
    return this.state.transaction(() => claimApproval(this.state, fenced(this.state, fence), claim, this.clock.now()));
  }

  override settle(fence: Fence, approvalId: string, result: StoredResult): Promise<void> {
    return this.state.transaction(() =>
      settleClaim(this.state, fenced(this.state, fence), approvalId, result, this.clock.now()),
    );
  }

  override finish(fence: Fence, ending: RunEnding, frames: readonly RunFrame[]): Promise<boolean> {
    return this.state.transaction(() => finishRun(this.state, fence, ending, frames, this.clock.now()));
  }

  override requestCancel(runId: string, source: string, reason: string): Promise<StoredRun | undefined> {
    return this.state.transaction(() => {
      const run = this.state.runs.get(runId);
      if (run?.status === 'running') run.cancel ??= { source: sanitizeText(source), reason: sanitizeText(reason) };
      return run === undefined ? undefined : storedRun(run);
    });
  }

  override renew(fences: readonly Fence[], ownership: Ownership): Promise<Renewal> {
    return this.state.transaction(() => renewLeases(this.state, fences, ownership, this.clock.now()));
  }

  override sweep(ownership: Ownership): Promise<SweepResult> {
    return this.state.transaction(() => sweepRuns(this.state, ownership, this.clock.now()));
  }

  override watch(runIds: readonly string[], forMs: number, only?: 'noted'): Promise<readonly string[]> {
    return this.state.transaction(() => watchRuns(this.state, runIds, forMs, this.clock.now(), only));
  }

  override watching(runId: string): Promise<Watching | undefined> {
    return this.state.transaction(() => watching(this.state, runId, this.clock.now()));
  }

  override unwatch(runIds: readonly string[], release: WatchRelease, forMs: number): Promise<void> {
    return this.state.transaction(() => unwatchRuns(this.state, runIds, release, forMs, this.clock.now()));
  }

  override expireEvents(keptMs: number, atMost: number): Promise<number> {
    return this.state.transaction(() => expireEvents(this.state, keptMs, atMost, this.clock.now()));
  }

  override resolve(
    approvalId: string,
    outcome: 'ran' | 'did-not-run',
    by: string,
    note: string,
  ): Promise<StoredApproval | undefined> {
    return this.state.transaction(() =>
      resolveApproval(this.state, approvalId, { outcome, by, note }, this.clock.now()),
    );
  }
}
