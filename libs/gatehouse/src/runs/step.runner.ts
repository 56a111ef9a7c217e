import { Injectable } from '@nestjs/common';
import type { ProposedCall, ToolCallResult } from '../contracts/operation.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore, type StepProgress } from '../contracts/ports/run.store.js';
import type { StoredStep } from '../contracts/ports/stored.step.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { ResponseFacts } from '../contracts/run.js';
import { OperationFactory } from '../operations/operation.factory.js';
import type { Operation } from '../operations/operation.js';
import { OperationRecords } from '../operations/operation.records.js';
import { asError, type RunEnd } from '../operations/passage.js';
import { ResponsePipeline } from '../operations/response.pipeline.js';
import { newId } from '../values/ids.js';
import { Announcements } from './announcements.js';
import { countedTokens } from './counted.tokens.js';
import type { LiveRun } from './live.run.js';
import { LiveStep } from './live.step.js';
import { ResponseOutput } from './response.output.js';
import { ScopeFactory, type ScopeUse } from './scope.factory.js';
import { waitsForNothing, type Waits } from './waits.js';

/** One response of a live run: stored before anything of it starts, run through the pipeline, then settled or suspended in one transaction. */
@Injectable()
export class StepRunner {
  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    private readonly scopes: ScopeFactory,
    private readonly responses: ResponsePipeline,
    private readonly operations: OperationFactory,
    private readonly records: OperationRecords,
    private readonly announcements: Announcements,
    private readonly outputs: ResponseOutput,
  ) {}

  async run(
    live: LiveRun,
    calls: readonly ProposedCall[],
    facts: ResponseFacts,
    use: ScopeUse,
  ): Promise<readonly ToolCallResult[]> {
    live.assertOpen();
    live.check();
    const step = this.propose(live, calls, facts, use);
    await this.begin(live, step);
    return this.play(live, step, use);
  }

  /** Goes on with the response that waited: what was settled stays, what waited re-enters with its approval or gets its result. */
  async resume(live: LiveRun, stored: StoredStep, answers: Waits): Promise<readonly ToolCallResult[]> {
    const step = this.restore(live, stored, answers);
    this.catchUp(live, stored);
    live.tellState();
    live.log.emit({ type: 'step.started', step: step.step });
    const decided = byOperation(answers.approvals);
    return this.play(live, step, { direct: false, decided });
  }

  /** The response of a suspended or orphaned run, with its open operations, as the run's current one. */
  restore(live: LiveRun, stored: StoredStep, answers: Waits): LiveStep {
    const { runId, step: number, text, messageId } = stored;
    const decided = byOperation(answers.approvals);
    const handedOn = byOperation(answers.deferrals);
    const settled = stored.operations.filter((operation) => operation.result !== undefined);
    const open = stored.operations
      .filter((operation) => operation.result === undefined)
      .map((operation) => {
        const { operationId: id } = operation;
        return this.operations.restored(operation, number, decided.get(id), handedOn.get(id));
      });
    live.step = new LiveStep(runId, number, text, messageId, open, settled);
    return live.step;
  }

  /** Of a response whose process was lost on its way to the suspension, the run itself was told only how it began. */
  catchUp(live: LiveRun, { operations, state }: StoredStep): void {
    if (state !== undefined) live.restoreState(state);
    const toolCalls = operations.filter(
      ({ approvalId, deferred, result }) => approvalId === undefined && deferred === undefined && result === undefined,
    ).length;
    live.shared.use('toolCalls', toolCalls);
    live.ledger.use({ toolCalls });
  }

  private propose(live: LiveRun, calls: readonly ProposedCall[], facts: ResponseFacts, use: ScopeUse): LiveStep {
    const number = live.stepNumber + 1;
    const full = live.shared.full('steps');
    if (full !== undefined) throw this.ends(live, { error: full, stage: 'limit' });
    const operations = this.outputs.proposed(live, number, calls, facts, use.direct);
    const inputTokens = countedTokens(facts.inputTokens);
    const outputTokens = countedTokens(facts.outputTokens);
    live.shared.use('steps');
    live.shared.use('tokens', inputTokens + outputTokens);
    live.ledger.use({ inputTokens, outputTokens });
    return new LiveStep(live.runId, number, facts.text ?? '', facts.messageId ?? newId(), operations);
  }

  /** Stored before any of its operations starts. */
  async begin(live: LiveRun, step: LiveStep): Promise<void> {
    live.stepNumber = step.step;
    live.step = step;
    live.partial = undefined;
    const openings = step.operations.flatMap((operation) => this.opening(operation, step));
    const events: RunEvent[] = [{ type: 'step.started', step: step.step }, ...openings];
    live.tellState();
    // With all that a resumption needs: whoever drives it may be lost while it asks for approvals.
    const begun = { ...step.stored(), state: this.stateOf(live) };
    const counters = live.counters('suspending');
    await this.stored(live, () =>
      live.log.transact(events, (frames) => this.store.startStep(live.fence, begun, counters, frames)),
    );
  }

  private opening(operation: Operation, step: LiveStep): readonly RunEvent[] {
    if (operation.inText) return [];
    const { toolCallId, toolName, id: operationId } = operation;
    return [
      { type: 'tool.start', toolCallId, toolName, operationId, messageId: step.messageId },
      { type: 'tool.args', toolCallId, delta: this.records.redactedArguments(operation) },
      { type: 'tool.end', toolCallId },
    ];
  }

  private async play(live: LiveRun, step: LiveStep, use: ScopeUse): Promise<readonly ToolCallResult[]> {
    const outcome = await this.responses.run(step.operations, this.scopes.scope(live, use));
    step.operations = outcome.operations;
    if (outcome.ends !== undefined) throw this.ends(live, outcome.ends);
    const waits = { approvals: outcome.waiting, deferrals: outcome.deferred };
    if (!waitsForNothing(waits)) return this.suspend(live, step, waits);
    const ends = use.direct ? undefined : this.outputs.settle(live, step, outcome.accepted);
    if (ends !== undefined) throw this.ends(live, ends);
    live.tellState();
    const progress = this.progress(live, step, step.messages());
    await this.stored(
      live,
      () =>
        live.log.transact([{ type: 'step.finished', step: step.step }], (frames) =>
          this.store.settleStep(live.fence, progress, frames),
        ),
      progress,
    );
    live.messages.push(...progress.messages);
    live.step = undefined;
    const undelivered = await this.tellHeldBack(live, step);
    if (undelivered !== undefined) throw this.ends(live, undelivered);
    const exceeded = live.shared.exceeded('tokens');
    if (exceeded !== undefined) throw this.ends(live, { error: exceeded, stage: 'limit' });
    return step.results();
  }

  /** In one transaction with everything settled so far; goes on inline where nobody is waited for any more. Throws `RunSuspended`. */
  async suspend(live: LiveRun, step: LiveStep, waiting: Waits): Promise<readonly ToolCallResult[]> {
    // Whoever cancelled while an approval was being stored does not leave it behind for somebody to decide.
    live.check();
    live.tellState();
    const progress = { ...this.progress(live, step, []), counters: live.counters('suspending') };
    const events = live.log.closing(this.announcements.suspended(live, waiting));
    const suspended = await this.stored(
      live,
      () =>
        live.log.transactIf(
          events,
          (frames) => this.store.suspend(live.fence, progress, frames),
          (result) => result === 'suspended',
        ),
      progress,
    );
    await this.tellHeldBack(live, step);
    if (suspended === 'suspended') throw live.park(waiting);
    // Everybody answered while the siblings still ran: go on without a pause.
    live.log.reopen();
    live.ledger.returnRecords(progress.operations);
    return this.resume(live, step.stored(), await this.answers(live, waiting));
  }

  /** What listeners were not told while another process could have owned the run: it is stored now, so the run is ours. */
  private async tellHeldBack(live: LiveRun, { operations }: LiveStep): Promise<RunEnd | undefined> {
    if (live.parts.roles.listeners.length === 0) return undefined;
    return this.responses.tell(operations, this.scopes.scope(live, { direct: false }));
  }

  private async answers({ runId }: LiveRun, { approvals }: Waits): Promise<Waits> {
    const decided = await Promise.all(approvals.map((approval) => this.reader.approval(approval.id)));
    return {
      approvals: decided.filter((approval) => approval !== undefined),
      deferrals: await this.reader.deferrals(runId),
    };
  }

  private progress(live: LiveRun, step: LiveStep, messages: StepProgress['messages']): StepProgress {
    const state = this.stateOf(live);
    return {
      step: step.stored(),
      messages,
      operations: live.ledger.takeRecords(),
      state,
      counters: live.counters(),
    };
  }

  private stateOf(live: LiveRun) {
    try {
      return live.storableState();
    } catch (error) {
      throw this.ends(live, { error: asError(error), stage: 'delivery' });
    }
  }

  /** What could not be stored ends the run; its records go with the end, in the segment that stayed open. */
  private async stored<T>(live: LiveRun, write: () => Promise<T>, progress?: StepProgress): Promise<T> {
    try {
      return await write();
    } catch (error) {
      live.log.reopen();
      if (progress !== undefined) live.ledger.returnRecords(progress.operations);
      throw this.ends(live, { error: asError(error), stage: 'delivery' });
    }
  }

  private ends(live: LiveRun, end: RunEnd): Error {
    live.end ??= end;
    return live.end.error;
  }
}

const byOperation = <T extends { readonly operationId: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((one) => [one.operationId, one]));
