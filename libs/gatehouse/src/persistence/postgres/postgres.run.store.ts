import type { ApprovalSealing } from '../../contracts/ports/approval.sealing.js';
import type { Fence } from '../../contracts/ports/run.fence.js';
import {
  RunStore,
  type ApprovalClaim,
  type ClaimVerdict,
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
import { isUuid } from '../../values/ids.js';
import { sanitizeText } from '../../values/sanitizer.js';
import { storableApproval } from '../storable/storable.approval.js';
import type { Database } from './database.js';
import { FrameBatches } from './frame.batches.js';
import { storedRun } from './rows/run.rows.js';
import type { RunRow } from './tables/run.tables.js';
import { claimApproval, resolveClaim, settleClaim } from './transactions/claim.approval.js';
import { expireEvents } from './transactions/expire.events.js';
import { answerCalls, deferCall } from './transactions/deferrals.js';
import { finishRun } from './transactions/finish.run.js';
import {
  expireApprovals,
  queuedRuns,
  readyRuns,
  renewLeases,
  strandedRuns,
  takeOrphans,
} from './transactions/leases.js';
import { requestApproval } from './transactions/request.approval.js';
import { settleStep } from './transactions/settle.step.js';
import { startRun } from './transactions/start.run.js';
import { giveRunBack, suspendRun } from './transactions/suspend.run.js';
import { requeue, takeOver } from './transactions/take.over.js';
import { voteAll } from './transactions/vote.all.js';
import { unwatchRuns, watching, watchRuns } from './transactions/watch.runs.js';
import { advance, writeFrames, writeStep } from './writes/run.writes.js';

/** Working state in Postgres, shared by every process. One method is one transaction; the rules are those of `RunStore`. */
export class PostgresRunStore extends RunStore {
  private readonly batches: FrameBatches;

  constructor(private readonly database: Database) {
    super();
    this.batches = new FrameBatches(database);
  }

  override startRun(
    run: NewRun,
    messages: readonly ThreadMessage[],
    frames: readonly RunFrame[],
    ownership: Ownership | Queueing,
  ): Promise<StartRunResult> {
    return startRun(this.database, run, messages, frames, ownership);
  }

  override takeOver(take: TakeOver, ownership: Ownership): Promise<TakeOverResult> {
    return takeOver(this.database, take, ownership);
  }

  override requeue(given: Requeue): Promise<RequeueResult> {
    return requeue(this.database, given);
  }

  override appendFrames(fence: Fence, frames: readonly RunFrame[]): Promise<void> {
    return this.batches.append(fence, frames);
  }

  override startStep(
    fence: Fence,
    step: StoredStep,
    counters: RunCounters,
    frames: readonly RunFrame[],
  ): Promise<void> {
    return this.database.transaction('store the start of a step', async (sql) => {
      await advance(sql, fence, { frames, step: step.step, counters });
      await writeStep(sql, fence.runId, step, 'first');
      await writeFrames(sql, fence.runId, frames);
    });
  }

  override settleStep(fence: Fence, progress: StepProgress, frames: readonly RunFrame[]): Promise<void> {
    return this.database.factual('store the results of a step', (sql) => settleStep(sql, fence, progress, frames));
  }

  override async requestApproval(
    fence: Fence,
    approval: NewApproval,
    sealing?: ApprovalSealing,
  ): Promise<StoredApproval> {
    const asked = storableApproval(approval);
    return this.database.factual('store an approval request', (sql) => requestApproval(sql, fence, asked, sealing));
  }

  override defer(fence: Fence, deferral: NewDeferral, withdrawn: StoredResult): Promise<StoredDeferral> {
    return this.database.factual('store a deferred call', (sql) => deferCall(sql, fence, deferral, withdrawn));
  }

  override answer(runId: string, answers: readonly NewAnswer[]): Promise<AnswersResult> {
    return this.database.factual('store the results of deferred calls', (sql) => answerCalls(sql, runId, answers));
  }

  override suspend(
    fence: Fence,
    progress: StepProgress,
    frames: readonly RunFrame[],
  ): Promise<'suspended' | 'decided'> {
    return this.database.factual('suspend the run', (sql) => suspendRun(sql, fence, progress, frames));
  }

  override giveBack(fence: Fence, frames: readonly RunFrame[], progress?: StepProgress): Promise<void> {
    return this.database.factual('let a run wait again', (sql) => giveRunBack(sql, fence, frames, progress));
  }

  override vote(votes: readonly NewVote[], sealing?: ApprovalSealing): Promise<VotesResult> {
    return this.database.factual('store a decision', (sql) => voteAll(sql, votes, sealing));
  }

  override claim(fence: Fence, claim: ApprovalClaim, sealing?: ApprovalSealing): Promise<ClaimVerdict> {
    return this.database.factual('claim an approval', (sql) => claimApproval(sql, fence, claim, sealing));
  }

  override settle(fence: Fence, approvalId: string, result: StoredResult): Promise<void> {
    return this.database.factual('store the outcome of an approved call', (sql) =>
      settleClaim(sql, fence, approvalId, result),
    );
  }

  override finish(fence: Fence, ending: RunEnding, frames: readonly RunFrame[]): Promise<boolean> {
    return this.database.factual('store the end of a run', (sql) => finishRun(sql, fence, ending, frames));
  }

  override async requestCancel(runId: string, source: string, reason: string): Promise<StoredRun | undefined> {
    if (!isUuid(runId)) return undefined;
    return this.database.transaction('store a cancel request', async (sql) => {
      await sql.run(
        `UPDATE ${sql.tables.run} SET cancel_source = $2, cancel_reason = $3
          WHERE id = $1 AND status = 'running' AND cancel_source IS NULL`,
        [runId, sanitizeText(source), sanitizeText(reason)],
      );
      const row = await sql.row<RunRow>(`SELECT * FROM ${sql.tables.run} WHERE id = $1`, [runId]);
      return row === undefined ? undefined : storedRun(row);
    });
  }

  override renew(fences: readonly Fence[], ownership: Ownership): Promise<Renewal> {
    return this.database.statement('renew its leases', (sql) => renewLeases(sql, fences, ownership));
  }

  override async sweep(ownership: Ownership): Promise<SweepResult> {
    await this.database.factual('expire approvals', (sql) => expireApprovals(sql));
    const orphans = await this.database.factual('take over orphans', (sql) => takeOrphans(sql, ownership));
    const ready = await this.database.statement('find runs that can go on', (sql) => readyRuns(sql, ownership));
    const queued = await this.database.statement('find queued runs', (sql) => queuedRuns(sql));
    const stranded = await this.database.statement('find stranded runs', (sql) => strandedRuns(sql, ownership));
    return { orphans, ready, ...queued, stranded };
  }

  override watch(runIds: readonly string[], forMs: number, only?: 'noted'): Promise<readonly string[]> {
    return this.database.statement('note who watches', (sql) => watchRuns(sql, runIds, forMs, only));
  }

  override async watching(runId: string): Promise<Watching | undefined> {
    if (!isUuid(runId)) return undefined;
    return this.database.statement('read who watches', (sql) => watching(sql, runId));
  }

  override unwatch(runIds: readonly string[], release: WatchRelease, forMs: number): Promise<void> {
    return this.database.statement('note who watches', (sql) => unwatchRuns(sql, runIds, release, forMs));
  }

  override expireEvents(keptMs: number, atMost: number): Promise<number> {
    return this.database.transaction('delete old events', (sql) => expireEvents(sql, keptMs, atMost));
  }

  override resolve(
    approvalId: string,
    outcome: 'ran' | 'did-not-run',
    by: string,
    note: string,
  ): Promise<StoredApproval | undefined> {
    return this.database.factual('resolve an approval', (sql) => resolveClaim(sql, approvalId, outcome, by, note));
  }
}
