import type { Awaitable } from '../contracts/awaitable.js';
import type { RunRequest } from '../contracts/run.js';
import type { AgentRunner } from '../runs/agent.runner.js';

/** What a flow asks: given a prompt, it comes to an output. */
export interface FlowAgent<Output = unknown, State = unknown> {
  readonly name: string;
  run(prompt: string, state: State): Awaitable<Output>;
}

/** Whose run it is, and how it is bounded: a run request without its agent and input. */
export type FlowRunRequest = Omit<RunRequest, 'agent' | 'input' | 'runId'>;

/**
 * An `@Agent` of the application as a flow's agent: each prompt is a run of its own, a child of the operation that asks. Throws what the run
 * ended in; `RunSuspended` where a person is needed.
 *
 * @example
 * ```ts
 * const analyst = flowAgent(runner, 'analyst', { user, signal: call.signal });
 * ```
 */
export const flowAgent = (runner: AgentRunner, name: string, request: FlowRunRequest = {}): FlowAgent =>
  Object.freeze({
    name,
    run: (prompt: string) => runner.start({ ...request, agent: name, input: prompt }).result(),
  });
