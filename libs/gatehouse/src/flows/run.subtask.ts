import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { RunSuspended } from '../contracts/errors/run-suspended.js';
import { UnknownToolError } from '../contracts/errors/unknown-tool.error.js';
import { errorMessage } from '../values/error-text.js';
import type { FlowAgent } from './flow.agent.js';
import { HookedCall, hookRunnerOf, type FlowHooks, type Target } from './hooked.call.js';
import { isAboutTheCaller } from './passing.error.js';

/** Options of `runSubtask`. */
export interface SubtaskOptions<State> {
  /** Hooks know it as `meta:<name>`. Default: the agent's name. */
  readonly name?: string;
  readonly hooks?: FlowHooks;
  readonly state: State;
}

/** What a subtask came to. It is told, not thrown: the flow around it decides. */
export interface SubtaskResult<Output> {
  readonly success: boolean;
  /** The agent's, or a hook's stub. */
  readonly output?: Output;
  /** The message of the first error; `aborted: <reason>` where a hook aborted. */
  readonly error?: string;
  /** How often the agent ran. */
  readonly attempts: number;
}

/**
 * One agent on one task, with hooks around it: they see `{ prompt }`, and a redirect to another prompt runs it once more. Throws only what is not
 * about the task: `RunSuspended`, `RunCancelledError`.
 *
 * @example
 * ```ts
 * const { success, output, error } = await runSubtask(analyst, 'Sum up order 1001', { name: 'summary', state });
 * ```
 */
export async function runSubtask<Output, State>(
  agent: FlowAgent<Output, State>,
  prompt: string,
  { name = agent.name, hooks, state }: SubtaskOptions<State>,
): Promise<SubtaskResult<Output>> {
  const subtask = `meta:${name}`;
  const errors: unknown[] = [];
  let attempts = 0;
  const execute = async (target: Target) => {
    if (target.name !== subtask) throw new UnknownToolError(target.name, [subtask]);
    attempts += 1;
    try {
      return await agent.run(promptOf(target, prompt), state);
    } catch (error) {
      errors.push(error);
      throw error;
    }
  };
  try {
    const call = new HookedCall(hookRunnerOf(hooks), state, execute, isAboutTheCaller);
    // A stub stands in for an output, whatever it is.
    const output = (await call.run({ name: subtask, args: { prompt } })) as Output;
    return Object.freeze({ success: true, output, attempts });
  } catch (error) {
    if (error instanceof RunSuspended || error instanceof RunCancelledError) throw error;
    const text = error instanceof HookAbortError ? `aborted: ${error.reason}` : errorMessage(errors[0] ?? error);
    return Object.freeze({ success: false, error: text, attempts });
  }
}

/** A redirect that says nothing about the prompt leaves it as it was. */
const promptOf = ({ args }: Target, prompt: string): string => {
  const wanted: unknown = (args as { readonly prompt?: unknown }).prompt;
  return typeof wanted === 'string' ? wanted : prompt;
};
