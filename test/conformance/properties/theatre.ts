import { Logger, type ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  AgentRunner,
  ApprovalConflictError,
  ApprovalService,
  AuditTrail,
  Clock,
  GatehouseModule,
  RunNotResumableError,
  type ApprovalRequest,
  type Decision,
  type DeferredCall,
  type ExternalResult,
  type GatehouseModuleOptions,
  type OperationListener,
  type OutputSpec,
  type RunHandle,
  type RunOutcome,
  type RunRequest,
  type ToolHook,
} from 'nest-gatehouse';
import { scriptedExecutor } from 'nest-gatehouse/testing';
import { v7 } from 'uuid';
import { z } from 'zod';
import { ANN } from '../../support/governed/governed.app.js';
import { Performance, sorted } from './performance.js';
import { Audience, edited, ScriptedHook, ScriptedInspector, ScriptedMiddleware } from './players.js';
import { choicesOf, linesOf, type Script } from './script.js';
import { Performances, Troupe } from './troupe.js';

/** What is approved stays so while the time passes that lets others expire. */
const PATIENT = { expiresIn: '15m', executeWithin: '7d' };

/** What a run must give: what `read` returns is such a thing. */
const schema = z.looseObject({ x: z.int() });
const OUTPUTS: Record<Script['output'], OutputSpec | undefined> = {
  words: undefined,
  graceful: { schema },
  early: { schema, endStrategy: 'early' },
};

/** The real time, except that a test may let some of it pass. */
class MovableClock extends Clock {
  private moved = 0;

  pass(milliseconds: number): void {
    this.moved += milliseconds;
  }

  override now(): Date {
    return new Date(Date.now() + this.moved);
  }

  override monotonic(): number {
    return performance.now();
  }
}

type Suspended = Extract<RunOutcome, { status: 'suspended' }>;

/** Who watches beside the script's own roles. */
export interface Watchers {
  readonly hooks?: readonly ToolHook[];
  readonly listeners?: readonly OperationListener[];
  /** False: not even our own audience. */
  readonly audience?: boolean;
}

/** An application in which scripts are performed. */
export class Theatre {
  readonly runner: AgentRunner;
  readonly approvals: ApprovalService;
  readonly trail: AuditTrail;
  private readonly performances: Performances;

  private constructor(
    private readonly module: TestingModule,
    private readonly clock: MovableClock,
  ) {
    this.runner = module.get(AgentRunner);
    this.approvals = module.get(ApprovalService);
    this.trail = module.get(AuditTrail);
    this.performances = module.get(Performances);
  }

  static async open(options: GatehouseModuleOptions = {}, around: ModuleMetadata = {}): Promise<Theatre> {
    const clock = new MovableClock();
    const audit = { loggers: [Performances] };
    const runs = { grace: '5s', lease: '1d' };
    const module = await Test.createTestingModule({
      imports: [
        ...(around.imports ?? []),
        GatehouseModule.forRoot({ guard: { enabled: true }, approvals: PATIENT, audit, runs, ...options }),
      ],
      providers: [Troupe, Performances, ...(around.providers ?? [])],
    })
      .overrideProvider(Clock)
      .useValue(clock)
      .compile();
    // Thousands of runs that fail on purpose: their log would drown the one that matters.
    Logger.overrideLogger(false);
    await module.init();
    return new Theatre(module, clock);
  }

  close(): Promise<void> {
    return this.module.close();
  }

  /** Performs a script to its end: every suspension is answered as the script says. */
  async perform(script: Script, who = 'ann', watchers: Watchers = {}): Promise<Performance> {
    const performance = new Performance(v7(), who, script);
    this.performances.begin(performance);
    const executor = scriptedExecutor(linesOf(script, who));
    const handle = this.runner.start({ ...this.request(performance, watchers), agent: executor });
    performance.cancel = () => void this.runner.cancel(performance.runId, 'from inside');
    await this.follow(performance, handle);
    // Each round answers whatever waits; an approval is asked again at most once.
    for (let rounds = 0; performance.outcome.status === 'suspended' && rounds < 50; rounds += 1) {
      await this.follow(performance, await this.answer(performance, performance.outcome));
    }
    Object.assign(performance, { requests: executor.requests, results: executor.results });
    await this.look(performance);
    this.performances.end(performance.runId);
    return performance;
  }

  /** Tries what could still change a run that has ended: to cancel, to resume, to decide once more. */
  async meddle({ runId }: Performance): Promise<void> {
    await this.runner.cancel(runId, 'afterwards');
    await expect(this.runner.resume({ runId, user: ANN }).started).rejects.toThrow(RunNotResumableError);
    const { items } = await this.approvals.list({ runId });
    for (const { id, status } of items) {
      const again = this.approvals.decide(id, { approved: status === 'denied', by: ANN });
      await expect(again).rejects.toThrow(ApprovalConflictError);
    }
  }

  /** Reads what the application has kept of a performance. */
  async look(performance: Performance): Promise<void> {
    const { runId } = performance;
    const { items } = await this.trail.operations({ runId, limit: 500 });
    performance.rows = items.toSorted((one, other) => one.step - other.step || one.position - other.position);
    performance.terminals = (await this.trail.terminals({ runId })).items;
    performance.executions = this.performances.executions(runId);
  }

  private request(performance: Performance, watchers: Watchers): Omit<RunRequest, 'agent'> {
    const { script, runId } = performance;
    const { toolRetries, redirects, toolCalls, parallelToolCalls } = script;
    const audience = watchers.audience === false ? [] : [new Audience(performance)];
    return {
      runId,
      input: 'go',
      user: ANN,
      limits: { toolRetries, redirects, toolCalls, parallelToolCalls, outputRetries: 2 },
      output: OUTPUTS[script.output],
      inspectors: script.inspected ? [new ScriptedInspector(performance)] : [],
      hooks: [...(script.hooked ? [new ScriptedHook(performance)] : []), ...(watchers.hooks ?? [])],
      middleware: script.wrapped ? [new ScriptedMiddleware(performance)] : [],
      listeners: [...audience, ...(watchers.listeners ?? [])],
    };
  }

  private async follow(performance: Performance, handle: RunHandle): Promise<RunOutcome> {
    for await (const event of handle.events) performance.events.push(event);
    const outcome = await handle.outcome;
    performance.outcomes.push(outcome);
    return outcome;
  }

  private async answer(performance: Performance, { approvals, deferred }: Suspended): Promise<RunHandle> {
    const decisions = approvals.flatMap((approval) => this.decision(performance, approval));
    await this.approvals.decideAll(decisions, ANN);
    if (decisions.length < approvals.length) this.clock.pass(16 * 60_000);
    const results = deferred.map((call) => this.result(performance, call));
    return this.runner.resume({ runId: performance.runId, user: ANN, results });
  }

  private result({ who, script }: Performance, { operationId, args }: DeferredCall): ExternalResult {
    const { answer } = choicesOf(script, (args as { readonly n: number }).n) ?? {};
    if (answer === 'deny') return { operationId, error: 'Nobody could do it.' };
    return { operationId, value: { done: true, token: `canary-result-${who}` } };
  }

  private decision(performance: Performance, approval: ApprovalRequest): Decision | readonly [] {
    const { who, script } = performance;
    const shown = approval.args as { readonly n: number };
    const { answer = 'approve' } = choicesOf(script, shown.n) ?? {};
    const editable = answer === 'edit' && approval.editable.includes('x');
    const args = editable ? { ...shown, x: 50 } : shown;
    const answered = { operationId: approval.operationId, answer, args: sorted(args) };
    performance.moments.push({ kind: 'answered', answered });
    if (answer === 'expire') return [];
    const editedArgs = editable ? edited(who, shown.n) : undefined;
    return { approvalId: approval.id, approved: answer !== 'deny', reason: 'Not now.', editedArgs };
  }
}
