import { Logger } from '@nestjs/common';
import { Decide } from '../contracts/decisions/decide.js';
import type { HookDecision } from '../contracts/decisions/decisions.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import type { ShadowedDecision } from '../contracts/operation.js';
import type { HookCall, ToolHook } from '../contracts/roles.js';
import { hookAnswer, type HookLog, type NamedHook } from './hook.answer.js';

/** What the hooks of one phase came to. */
export interface HookVerdict {
  readonly decision: HookDecision;
  /** Whose decision it is; absent for Continue. */
  readonly source?: string;
  /** Later decisions that did not count, in order. */
  readonly shadowed: readonly ShadowedDecision[];
}

const CONTINUED: HookVerdict = Object.freeze({ decision: Decide.continue(), shadowed: Object.freeze([]) });

/**
 * The hooks of one run, in order, one after another. The first decision that is not Continue counts; the hooks after it still run; an abort
 * ends everything at once. Idea: the hook runner of orqest.
 */
export class HookChain {
  /** Whether any hook has a say before a tool. */
  readonly hasBefore: boolean;
  // Sorted out once, so that a list changed later changes nothing.
  private readonly hooks: Readonly<Record<keyof ToolHook, readonly NamedHook[]>>;

  /** @param timeoutMs for each hook and phase */
  constructor(
    hooks: readonly NamedHook[],
    private readonly timeoutMs: number,
    private readonly logger: HookLog = new Logger('gatehouse.hooks'),
  ) {
    const having = (phase: keyof ToolHook): readonly NamedHook[] =>
      hooks.filter(({ role }) => typeof role[phase] === 'function');
    this.hooks = { beforeTool: having('beforeTool'), afterTool: having('afterTool'), onError: having('onError') };
    this.hasBefore = this.hooks.beforeTool.length > 0;
  }

  /** Whether any hook looks at this phase. */
  has(phase: keyof ToolHook): boolean {
    return this.hooks[phase].length > 0;
  }

  /** Before a tool. Every hook sees the original arguments. Throws `HookAbortError`, `InspectionFailedError`, or what cancelled the run. */
  before(call: HookCall): Promise<HookVerdict> {
    return this.aggregate('beforeTool', call, (hook) => hook.beforeTool?.(call));
  }

  /** After a result, a stub included. A Skip says nothing here and hides nothing. Throws as `before`. */
  after(call: HookCall & { readonly result: unknown; readonly durationMs: number }): Promise<HookVerdict> {
    return this.aggregate('afterTool', call, (hook) => hook.afterTool?.(call));
  }

  /** After a failure. Throws as `before`. */
  error(call: HookCall & { readonly error: unknown }): Promise<HookVerdict> {
    return this.aggregate('onError', call, (hook) => hook.onError?.(call));
  }

  private async aggregate(
    phase: keyof ToolHook,
    call: HookCall,
    ask: (hook: ToolHook) => unknown,
  ): Promise<HookVerdict> {
    let active: { readonly decision: HookDecision; readonly source: string } | undefined;
    const shadowed: ShadowedDecision[] = [];
    for (const hook of this.hooks[phase]) {
      const question = { hook, phase, call, timeoutMs: this.timeoutMs, log: this.logger };
      const decision = await hookAnswer(question, () => ask(hook.role));
      if (decision.kind === 'abort') throw new HookAbortError(decision.reason, hook.name);
      if (!this.counts(decision, phase, hook.name, call)) continue;
      if (active === undefined) active = { decision, source: hook.name };
      else shadowed.push(Object.freeze({ hook: hook.name, decision: decision.kind }));
    }
    if (active === undefined) return CONTINUED;
    this.logShadowed(phase, call, active.source, shadowed);
    return Object.freeze({ ...active, shadowed: Object.freeze(shadowed) });
  }

  private counts(decision: HookDecision, phase: keyof ToolHook, hook: string, call: HookCall): boolean {
    if (decision.kind === 'continue') return false;
    if (decision.kind !== 'skip' || phase !== 'afterTool') return true;
    this.logger.warn(
      `Hook ${hook}.afterTool returned skip ('${decision.reason}') for tool '${call.toolName}', which has already run. Read as Continue.`,
    );
    return false;
  }

  private logShadowed(
    phase: keyof ToolHook,
    call: HookCall,
    source: string,
    shadowed: readonly ShadowedDecision[],
  ): void {
    if (shadowed.length === 0) return;
    const list = shadowed.map(({ hook, decision }) => `${hook} (${decision})`).join(', ');
    this.logger.log(`Decisions of ${phase} for tool '${call.toolName}' shadowed by ${source}: ${list}.`);
  }
}
