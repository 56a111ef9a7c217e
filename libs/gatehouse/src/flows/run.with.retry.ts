import { Logger } from '@nestjs/common';
import type { Awaitable } from '../contracts/awaitable.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { HookDecision } from '../contracts/decisions/decisions.js';
import { errorMessage } from '../values/error-text.js';
import { sanitize } from '../values/sanitizer.js';
import { SystemClock } from '../values/system.clock.js';
import { hookRunnerOf, type FlowHooks } from './hooked.call.js';
import { isSignalOrStop } from './passing.error.js';

/** Options of `runWithRetry`. */
export interface RetryOptions {
  /** What the first attempt gets; hooks see it as `{ note }`. */
  readonly note: string;
  /** What hooks know the operation by. */
  readonly name: string;
  /** Asked once before the first attempt, and once about what it all came to. */
  readonly hooks?: FlowHooks;
  /** Default 2, the first included. */
  readonly maxAttempts?: number;
  /** Whether to try again after this error. Default: always. */
  retryable?(error: unknown): boolean;
  /** The note of the next attempt. Default: the original one, and the error's text; a model that reads the note reads it. */
  enrich?(note: string, error: string): string;
  /** What hooks see as state. Default: `{}`. */
  readonly state?: unknown;
}

/** Every attempt failed, or one failed for good. */
export interface RetryFailure {
  readonly success: false;
  /** The message of the last error. */
  readonly error: string;
  readonly attempts: number;
}

const logger = new Logger('gatehouse.flows');
const clock = new SystemClock();

/**
 * Tries an operation again with a better note. Comes to its value, to a hook's stub (as text), or to a failure; what stops a run is never tried
 * again, and is thrown.
 *
 * @example
 * ```ts
 * const draft = await runWithRetry((note) => writer.write(note), { note: 'Write to Ann.', name: 'write', maxAttempts: 3 });
 * ```
 * @throws ConfigurationError for `maxAttempts` below 1; `HookAbortError`
 */
export async function runWithRetry<Value = string>(
  operation: (note: string) => Awaitable<Value>,
  options: RetryOptions,
): Promise<Value | string | RetryFailure> {
  const { name, note, state = {}, maxAttempts = 2 } = options;
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    throw new ConfigurationError(
      `runWithRetry '${name}': maxAttempts is ${maxAttempts}; write a whole number, 1 or more.`,
    );
  }
  const hooks = hookRunnerOf(options.hooks);
  const decision = await hooks.runBefore(name, { note }, state);
  if (decision.kind === 'skip') {
    await hooks.runAfter(name, { note }, decision.stubResult, state, 0);
    return asText(decision.stubResult);
  }
  const wanted = redirectedNote(decision, name) ?? note;
  const since = clock.monotonic();
  const came = await attempts(operation, wanted, maxAttempts, options);
  const after = await hooks.runAfter(name, { note: wanted }, came, state, clock.monotonic() - since);
  if (after.kind === 'redirect') ignored(name, 'afterTool');
  return came;
}

async function attempts<Value>(
  operation: (note: string) => Awaitable<Value>,
  note: string,
  most: number,
  options: RetryOptions,
): Promise<Value | RetryFailure> {
  let current = note;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation(current);
    } catch (thrown) {
      if (isSignalOrStop(thrown)) throw thrown;
      const error = errorMessage(thrown);
      if (attempt >= most || options.retryable?.(thrown) === false)
        return Object.freeze({ success: false, error, attempts: attempt });
      current = options.enrich?.(note, error) ?? withError(note, error);
    }
  }
}

const withError = (note: string, error: string): string =>
  `${note}\n\nThe attempt before this one failed: ${error}\nAvoid what caused it.`;

/** Only another note makes sense here: the operation is a function, not a tool. */
function redirectedNote(decision: HookDecision, name: string): string | undefined {
  if (decision.kind !== 'redirect') return undefined;
  const note = decision.args?.['note'];
  if (decision.tool === undefined && typeof note === 'string') return note;
  ignored(name, 'beforeTool');
  return undefined;
}

const ignored = (name: string, phase: string): void =>
  logger.warn(
    `A redirect of ${phase} for '${name}' was ignored: runWithRetry follows one before the first attempt, to another note.`,
  );

const asText = (stub: unknown): string => {
  if (typeof stub === 'string') return stub;
  return stub === undefined ? '' : JSON.stringify(sanitize(stub));
};
