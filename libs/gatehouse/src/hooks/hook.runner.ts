import type { HookDecision } from '../contracts/decisions/decisions.js';
import type { ToolHook } from '../contracts/roles.js';
import { HookChain } from './hook.chain.js';
import { hookOptions } from './hook.decorator.js';

const DECISION_TIMEOUT_MS = 30_000;

/**
 * Runs hooks on their own, around anything: in the order of the list, with the rules of the pipeline. A hook is given 30 s.
 *
 * @example
 * ```ts
 * const hooks = new HookRunner([new Watchdog()]);
 * const decision = await hooks.runBefore('lookup', { n: 1 }, state);
 * if (decision.kind === 'skip') return decision.stubResult;
 * ```
 */
export class HookRunner {
  private readonly chain: HookChain;

  constructor(hooks: readonly ToolHook[] = []) {
    const named = hooks.map((role) => ({
      name: role.constructor.name,
      role,
      failClosed: hookOptions(role.constructor)?.failClosed ?? false,
    }));
    this.chain = new HookChain(named, DECISION_TIMEOUT_MS);
  }

  /** Throws `HookAbortError` when a hook aborts; `InspectionFailedError` when one that fails closed crashes. */
  async runBefore(toolName: string, args: unknown, state: unknown): Promise<HookDecision> {
    return (await this.chain.before({ toolName, args, state })).decision;
  }

  /** @param durationMs how long the tool took. Throws as `runBefore`. */
  async runAfter(
    toolName: string,
    args: unknown,
    result: unknown,
    state: unknown,
    durationMs: number,
  ): Promise<HookDecision> {
    return (await this.chain.after({ toolName, args, state, result, durationMs })).decision;
  }

  /** Throws as `runBefore`. */
  async runError(toolName: string, args: unknown, error: unknown, state: unknown): Promise<HookDecision> {
    return (await this.chain.error({ toolName, args, state, error })).decision;
  }
}
