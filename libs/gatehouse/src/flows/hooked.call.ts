import { Logger } from '@nestjs/common';
import type { HookDecision } from '../contracts/decisions/decisions.js';
import type { ToolHook } from '../contracts/roles.js';
import { HookRunner } from '../hooks/hook.runner.js';
import { SystemClock } from '../values/system.clock.js';
import { isSignalOrStop, type Passes } from './passing.error.js';

/** A list of hooks, or a runner that holds them. */
export type FlowHooks = readonly ToolHook[] | HookRunner;

export const hookRunnerOf = (hooks: FlowHooks = []): HookRunner =>
  hooks instanceof HookRunner ? hooks : new HookRunner(hooks);

/** What is to be executed: the flow's own name and arguments, or what a hook wrote over them. */
export interface Target {
  readonly name: string;
  readonly args: unknown;
}

/** As in the pipeline (`limits.redirects`): all redirects of one call share it. */
const REDIRECTS = 1;

/**
 * One execution between its hooks, with the rules of the pipeline: a stub stands in for it, a redirect replaces name and arguments, one
 * redirect is honoured in all, an abort throws.
 */
export class HookedCall {
  private readonly logger = new Logger('gatehouse.flows');
  private readonly clock = new SystemClock();
  private redirects = 0;
  private failures = 0;

  constructor(
    private readonly hooks: HookRunner,
    private readonly state: unknown,
    private readonly execute: (target: Target) => unknown,
    private readonly passes: Passes = isSignalOrStop,
  ) {}

  /** Throws `HookAbortError`, or what the last execution threw. */
  async run(wanted: Target): Promise<unknown> {
    const { name, args } = wanted;
    const before = await this.hooks.runBefore(name, args, this.state);
    if (before.kind === 'skip') {
      await this.hooks.runAfter(name, args, before.stubResult, this.state, 0);
      return before.stubResult;
    }
    let target = this.redirected(wanted, before) ?? wanted;
    for (;;) {
      const came = await this.once(target);
      const next = this.redirected(target, came.decision);
      if (next !== undefined) target = next;
      else if ('value' in came) return came.value;
      else throw came.error;
    }
  }

  private async once(
    target: Target,
  ): Promise<{ decision: HookDecision | undefined } & ({ value: unknown } | { error: unknown })> {
    const { name, args } = target;
    const since = this.clock.monotonic();
    let value: unknown;
    try {
      value = await this.execute(target);
    } catch (error) {
      if (this.passes(error)) throw error;
      this.failures += 1;
      // The retry that `onError` asked for has failed: there is nothing more to ask.
      if (this.failures > 1) return { error, decision: undefined };
      return { error, decision: await this.hooks.runError(name, args, error, this.state) };
    }
    const durationMs = this.clock.monotonic() - since;
    return { value, decision: await this.hooks.runAfter(name, args, value, this.state, durationMs) };
  }

  private redirected(from: Target, decision: HookDecision | undefined): Target | undefined {
    if (decision?.kind !== 'redirect') return undefined;
    if (this.redirects >= REDIRECTS) {
      this.logger.warn(`A hook redirected '${from.name}' once too often; what it came to stands.`);
      return undefined;
    }
    this.redirects += 1;
    return { name: decision.tool ?? from.name, args: decision.args ?? from.args };
  }
}
