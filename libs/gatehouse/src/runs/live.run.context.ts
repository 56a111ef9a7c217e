import type { ProposedCall, ToolCallResult } from '../contracts/operation.js';
import type { EmittedEvent } from '../contracts/run.events.js';
import type { ResponseFacts, RunContext } from '../contracts/run.js';
import type { ToolDefinition } from '../contracts/tool.definition.js';
import type { Lineage } from '../operations/lineage.js';
import type { ToolRegistry } from '../tools/tool.registry.js';
import { asError } from '../operations/passage.js';
import type { LiveRun } from './live.run.js';
import type { ScopeUse } from './scope.factory.js';
import type { StepRunner } from './step.runner.js';

/** A live run as its executor sees it. */
export class LiveRunContext implements RunContext {
  /** Settles when the last response that was asked for has: a run has one at a time. */
  private lane: Promise<unknown> = Promise.resolve();
  private over = false;

  constructor(
    private readonly live: LiveRun,
    private readonly steps: StepRunner,
    private readonly registry: ToolRegistry,
    private readonly lineage: Lineage,
    readonly resumed?: readonly ToolCallResult[],
  ) {}

  get runId() {
    return this.live.runId;
  }
  get threadId() {
    return this.live.stored.threadId;
  }
  get agent() {
    return this.live.stored.agent;
  }
  get user() {
    return this.live.stored.user;
  }
  get instructions() {
    return this.live.stored.instructions;
  }
  get messages() {
    // A copy: what an executor sends to a model must not change under it.
    return Object.freeze([...this.live.messages]);
  }
  get state() {
    return this.live.state;
  }
  get signal() {
    return this.live.cancellation.signal;
  }
  get usage() {
    return this.live.ledger.usage;
  }
  get limits() {
    return this.live.parts.limits;
  }
  get output() {
    return this.live.output;
  }
  get responseSchema() {
    const { output } = this.live.parts;
    return output?.mode === 'native' ? output.definition.parameters : undefined;
  }

  tools(): readonly ToolDefinition[] {
    const { offered, output } = this.live.parts;
    const tools = this.registry.list().filter((tool) => offered?.has(tool.name) ?? true);
    return output?.mode === 'tool' ? [...tools, output.definition] : tools;
  }

  async call(name: string, args: unknown = {}): Promise<unknown> {
    const [result] = await this.inTurn([{ toolName: name, args }], {}, { direct: true });
    return valueOf(result);
  }

  callBatch(calls: readonly ProposedCall[], response: ResponseFacts = {}): Promise<readonly ToolCallResult[]> {
    return this.inTurn(calls, response, { direct: false });
  }

  /** The executor has returned: what it did not wait for ends, what has not begun does not begin. */
  async settled(): Promise<void> {
    this.over = true;
    await this.lane;
  }

  private inTurn(
    calls: readonly ProposedCall[],
    facts: ResponseFacts,
    use: ScopeUse,
  ): Promise<readonly ToolCallResult[]> {
    if (this.lineage.isInside(this.runId)) return Promise.reject(new Error(insideText(this.runId)));
    const turn = this.lane.then(() => {
      this.live.assertOpen();
      if (this.over) throw new Error(overText(this.runId));
      return this.steps.run(this.live, calls, facts, use);
    });
    this.lane = turn.catch(() => undefined);
    return turn;
  }

  async admitRequest(): Promise<void> {
    this.live.assertOpen();
    this.live.check();
    try {
      const full = this.live.shared.full('steps');
      if (full !== undefined) throw full;
      await this.live.parts.admit?.(this.usage);
    } catch (error) {
      this.live.end ??= { error: asError(error), stage: 'limit' };
      throw error;
    }
    // The host's answer may have taken its time.
    this.live.check();
    this.live.ledger.use({ requests: 1 });
  }

  emit(event: EmittedEvent): void {
    this.live.emit(event);
  }
}

const insideText = (runId: string): string =>
  `A tool of run ${runId} called a tool through the context of that run, which waits for the tool itself. ` +
  `Call through ToolExecutor inside a tool: that call is a run of its own.`;

const overText = (runId: string): string =>
  `The executor of run ${runId} has returned, so nothing more starts. Await every call before returning.`;

/** What a program's own call came to: its value, or what was thrown, the very object. */
export const valueOf = (result: ToolCallResult | undefined): unknown => {
  if (result === undefined) throw new Error('A call left no result.');
  if (result.outcome === 'success' || result.error === undefined) return result.value;
  // The very object goes on, whatever was thrown.
  // eslint-disable-next-line @typescript-eslint/only-throw-error
  throw result.error;
};
