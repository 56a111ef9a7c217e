import type { Awaitable } from '../contracts/awaitable.js';
import { UnknownToolError } from '../contracts/errors/unknown-tool.error.js';
import type { HookRunner } from '../hooks/hook.runner.js';
import type { FlowAgent } from './flow.agent.js';
import { HookedCall, hookRunnerOf, type FlowHooks, type Target } from './hooked.call.js';

/** What `execute` gets, and what hooks see as arguments. After a redirect it is exactly what the hook wrote. */
export interface CompoundArguments<Output> {
  readonly agentOutput: Output;
  readonly prompt: string;
}

/**
 * Calls tools by name, through the whole pipeline: the `RunContext` of the run under way, or a `ToolExecutor`, which knows no caller unless told:
 * `{ call: (name, args) => executor.call(name, args, { user }) }`.
 */
export interface ToolCaller {
  call(name: string, args?: unknown): Promise<unknown>;
}

/** Options of `compoundTool`. */
export interface CompoundToolOptions<Output, State> {
  readonly agent: FlowAgent<Output, State>;
  execute(args: CompoundArguments<Output>, state: State): Awaitable<unknown>;
  /** What hooks know it by. Default: the agent's name. */
  readonly name?: string;
  readonly hooks?: FlowHooks;
  /** Returns the state after a result, a stub included; nothing: it has changed the state itself. */
  updateState?(state: State, result: unknown): State | void;
  /** Runs a redirect to another tool: that call is inspected, gated and recorded like any other. Without it no other tool is known. */
  readonly tools?: ToolCaller;
}

/** What a compound tool came to. */
export interface CompoundResult<Output, State> {
  readonly agentOutput: Output;
  readonly result: unknown;
  readonly state: State;
}

/** An agent decides, the system acts. */
export interface CompoundTool<Output, State> {
  readonly name: string;
  /**
   * The prompt is added to `state.messages`, where there is such a list, before the agent runs. Throws `HookAbortError`, `UnknownToolError` for a
   * redirect to a tool nobody knows, what the other tool's call throws, or what `execute` threw.
   */
  run(prompt: string, state: State): Promise<CompoundResult<Output, State>>;
}

/**
 * An agent whose output a function acts on, with hooks around that action. Idea: the compound tool of orqest; but a redirect really executes.
 *
 * @example
 * ```ts
 * const invoice = compoundTool({ agent: analyst, execute: ({ agentOutput }) => billing.draft(agentOutput), hooks: [new Quota()], tools });
 * const { result } = await invoice.run('Bill order 1001', { messages: [] });
 * ```
 */
export function compoundTool<Output, State>(options: CompoundToolOptions<Output, State>): CompoundTool<Output, State> {
  const name = options.name ?? options.agent.name;
  const hooks = hookRunnerOf(options.hooks);
  return Object.freeze({ name, run: (prompt: string, state: State) => run(options, name, hooks, prompt, state) });
}

async function run<Output, State>(
  options: CompoundToolOptions<Output, State>,
  name: string,
  hooks: HookRunner,
  prompt: string,
  state: State,
): Promise<CompoundResult<Output, State>> {
  addMessage(state, prompt);
  const agentOutput = await options.agent.run(prompt, state);
  const execute = (target: Target) =>
    target.name === name
      ? options.execute(target.args as CompoundArguments<Output>, state)
      : otherTool(options.tools, name, target);
  const args: CompoundArguments<Output> = Object.freeze({ agentOutput, prompt });
  const result = await new HookedCall(hooks, state, execute).run({ name, args });
  return Object.freeze({ agentOutput, result, state: options.updateState?.(state, result) ?? state });
}

function otherTool(tools: ToolCaller | undefined, own: string, { name, args }: Target): Promise<unknown> {
  if (tools === undefined) throw new UnknownToolError(name, [own]);
  return tools.call(name, args);
}

function addMessage(state: unknown, text: string): void {
  if (typeof state !== 'object' || state === null || !('messages' in state)) return;
  const { messages } = state;
  if (Array.isArray(messages)) messages.push({ role: 'user', text });
}
