import type { Awaitable } from '../contracts/awaitable.js';
import type { ToolCallResult } from '../contracts/operation.js';
import type { RunCandidate, RunContext, RunExecutor } from '../contracts/run.js';
import type { ThreadMessage } from '../contracts/thread.message.js';
import { newId } from '../values/ids.js';
import { callsOf, responseAt, textOf, type ScriptedParts } from './scripted.response.js';

/** One line of a script: a response, what ends the run instead of one, or a function that looks at the run first. */
export type ExecutorLine =
  ScriptedParts | RunCandidate | ((run: RunContext) => Awaitable<ScriptedParts | RunCandidate>);

/** A scripted executor, and what it saw. */
export interface ScriptedExecutor extends RunExecutor {
  /** The thread as it stood at each request, in order. */
  readonly requests: readonly (readonly ThreadMessage[])[];
  /** The results of each response, in order; those of a suspended response when the run was resumed. */
  readonly results: readonly (readonly ToolCallResult[])[];
}

/**
 * Plays model responses through a run, without a model: each line is one response. A response without calls ends the run with its text. A
 * resumed run goes on where it stopped, by the number of requests it has made.
 *
 * @example
 * ```ts
 * const handle = runner.start({ agent: scriptedExecutor([[call('a'), call('b')], [says('done')]]), input: 'go' });
 * ```
 */
export const scriptedExecutor = (script: readonly ExecutorLine[]): ScriptedExecutor => {
  const requests: (readonly ThreadMessage[])[] = [];
  const results: (readonly ToolCallResult[])[] = [];
  const execute = async (run: RunContext): Promise<RunCandidate> => {
    if (run.resumed !== undefined) results.push(run.resumed);
    for (let line = run.resumed === undefined ? 0 : run.usage.requests; ; line += 1) {
      await run.admitRequest();
      requests.push([...run.messages]);
      const response = await told(responseAt(script, line), run);
      if (!isParts(response)) return response;
      const calls = callsOf(response);
      results.push(await run.callBatch(calls, spoken(textOf(response), run)));
      if (run.output !== undefined) return run.output;
    }
  };
  return { requests, results, execute };
};

const told = (line: ExecutorLine, run: RunContext): Awaitable<ScriptedParts | RunCandidate> =>
  typeof line === 'function' ? line(run) : line;

const isParts = (response: ScriptedParts | RunCandidate): response is ScriptedParts => Array.isArray(response);

const spoken = (text: string, run: RunContext) => {
  if (text === '') return { text };
  const messageId = newId();
  run.emit({ type: 'text.start', messageId });
  run.emit({ type: 'text.delta', messageId, delta: text });
  run.emit({ type: 'text.end', messageId });
  return { text, messageId };
};
