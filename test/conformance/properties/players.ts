import {
  ApprovalRequired,
  CallDeferred,
  Decide,
  SkipToolExecution,
  ToolRetryError,
  type Awaitable,
  type HookCall,
  type HookDecision,
  type JsonObject,
  type OperationDecision,
  type OperationFinished,
  type OperationInspector,
  type OperationListener,
  type OperationRequest,
  type ToolCall,
  type ToolHook,
  type ToolMiddleware,
} from 'nest-gatehouse';
import { sorted, type Performance } from './performance.js';
import { choicesOf, plainArguments, type Choices } from './script.js';
import { DriverError } from './troupe.js';

const numberIn = (args: unknown): unknown => (args as { n?: unknown } | undefined)?.n;
const withX = (args: unknown, x: number): JsonObject => ({ ...(args as JsonObject), x });

/** Does what the script says about each call. */
abstract class Player {
  constructor(protected readonly performance: Performance) {}

  protected choices(args: unknown): Partial<Choices> {
    return choicesOf(this.performance.script, numberIn(args)) ?? {};
  }

  protected broken(where: string): never {
    return this.performance.raise(new DriverError(where));
  }
}

export class ScriptedInspector extends Player implements OperationInspector {
  inspectOperation(request: OperationRequest): Awaitable<OperationDecision> {
    const { inspector = 'accept' } = this.choices(request.args);
    const asked = { request, args: sorted(request.args), answered: inspector };
    this.performance.moments.push({ kind: 'asked', asked });
    if (inspector.startsWith('reject')) {
      const refusal = Decide.reject('Not this one.', 'Try another.');
      return inspector === 'reject' ? refusal : Promise.resolve(refusal);
    }
    if (inspector === 'abort') return Decide.abort('Stop here.');
    if (inspector === 'throw') return this.broken('inspector');
    if (inspector === 'nonsense') return null as never;
    return inspector === 'accept' ? Decide.accept() : Promise.resolve(Decide.accept());
  }
}

export class ScriptedHook extends Player implements ToolHook {
  beforeTool({ args }: HookCall): HookDecision | undefined {
    const { before } = this.choices(args);
    if (before === 'skip') return Decide.skip('cached', { stub: true, token: `canary-result-${this.performance.who}` });
    if (before === 'arguments') return Decide.redirect({ args: withX(args, 7) });
    if (before === 'tool') return Decide.redirect({ tool: 'read' });
    if (before === 'same') return Decide.redirect({ args: args as JsonObject });
    if (before === 'abort') return Decide.abort('The hook stops.');
    if (before === 'throw') return this.broken('beforeTool');
    return before === 'continue' ? Decide.continue() : undefined;
  }

  async afterTool({ args }: HookCall): Promise<HookDecision | undefined> {
    const { after } = this.choices(args);
    if (after === 'arguments') return Decide.redirect({ args: withX(args, 8) });
    if (after === 'skip') return Decide.skip('too late');
    if (after === 'abort') return Decide.abort('The hook stops afterwards.');
    return after === 'throw' ? this.broken('afterTool') : undefined;
  }

  onError({ args }: HookCall): HookDecision | undefined {
    const { error } = this.choices(args);
    if (error === 'arguments') return Decide.redirect({ args: withX(args, 9) });
    if (error === 'abort') return Decide.abort('The hook stops after an error.');
    return error === 'throw' ? this.broken('onError') : undefined;
  }
}

type Next = Parameters<ToolMiddleware['aroundTool']>[1];

export class ScriptedMiddleware extends Player implements ToolMiddleware {
  async aroundTool(call: ToolCall, next: Next): Promise<unknown> {
    const { around = 'pass' } = this.choices(call.args);
    if (around === 'change') return next({ args: { ...(call.args as object), x: 99 } });
    if (around === 'again') return next().then(() => next());
    if (around === 'swallow') return next().catch(() => 'swallowed');
    if (around === 'ask afterwards') return this.askedAfterwards(call, next);
    if (around === 'replace') return next().then(() => 'replaced');
    return this.instead(call, around) ?? next();
  }

  /** Too late to prevent anything: the method has run. It must not look as if it had not. */
  private async askedAfterwards(call: ToolCall, next: Next): Promise<unknown> {
    const result = await next();
    if (call.approval === undefined) this.performance.raise(new ApprovalRequired());
    return result;
  }

  /** What takes the place of the call; nothing where it goes on. */
  private instead(call: ToolCall, around: Choices['around']): undefined {
    const { performance } = this;
    if (around === 'veto') performance.raise(new SkipToolExecution('vetoed outside'));
    if (around === 'retry') performance.raise(new ToolRetryError('Say it again.'));
    if (around === 'defer') performance.raise(new CallDeferred());
    if (around === 'throw') this.broken('middleware');
    if (around === 'ask' && call.approval === undefined) performance.raise(new ApprovalRequired());
    return undefined;
  }
}

/** Sees each finished operation, decides nothing. */
export class Audience implements OperationListener {
  constructor(private readonly performance: Performance) {}

  operationFinished(fact: OperationFinished): void {
    this.performance.moments.push({ kind: 'finished', fact });
  }
}

/** Watches every phase and says Continue each time. */
export class ContinueHook implements ToolHook {
  beforeTool = () => Decide.continue();
  afterTool = () => Promise.resolve(Decide.continue());
  onError = () => undefined;
}

/** What a person approves when they edit: the same call with another `x`. */
export const edited = (who: string, n: number): JsonObject => withX(plainArguments(who, n), 50);
