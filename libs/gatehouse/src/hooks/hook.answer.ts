import { Decide } from '../contracts/decisions/decide.js';
import { isDecisionFor } from '../contracts/decisions/decision.brand.js';
import type { HookDecision } from '../contracts/decisions/decisions.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { InspectionFailedError } from '../contracts/errors/inspection-failed.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import type { HookCall, ToolHook } from '../contracts/roles.js';
import { describeError, errorName } from '../values/error-text.js';
import { isPending } from '../values/pending.js';
import { within } from '../values/within.js';

/** A hook, the class name it is known by, and what its failure means. */
export interface NamedHook {
  readonly name: string;
  readonly role: ToolHook;
  readonly failClosed: boolean;
}

/** Where hooks write: Nest's `Logger`, or anything with these two levels. */
export interface HookLog {
  log(message: string): void;
  warn(message: string): void;
}

/** One hook, one phase. */
export interface HookQuestion {
  readonly hook: NamedHook;
  readonly phase: keyof ToolHook;
  readonly call: HookCall;
  readonly timeoutMs: number;
  readonly log: HookLog;
}

/**
 * The decision of one hook; nothing, a crash and an answer that is no decision are Continue.
 *
 * @throws InspectionFailedError for the last two of a hook that fails closed
 * @throws what cancelled the run
 */
export async function hookAnswer(question: HookQuestion, ask: () => unknown): Promise<HookDecision> {
  const { phase, timeoutMs } = question;
  let answer: unknown;
  try {
    answer = ask();
    if (isPending(answer)) {
      answer = await within(answer, timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`));
    }
  } catch (error) {
    if (isCancellation(error, question.call)) throw error;
    return crashed(question, crashText(error), { cause: error }, `threw ${errorName(error)} in ${phase}`);
  }
  if (answer === undefined || answer === null) return Decide.continue();
  if (isHookDecision(answer)) return answer;
  return crashed(question, `returned a ${typeof answer}, which is no decision; make one with Decide`);
}

function crashed(question: HookQuestion, problem: string, options?: ErrorOptions, short = problem): HookDecision {
  const { hook, phase, call, log } = question;
  if (hook.failClosed) throw new InspectionFailedError(hook.name, short, options);
  log.warn(`Hook ${hook.name}.${phase} ${problem} (tool '${call.toolName}'). Read as Continue.`);
  return Decide.continue();
}

function crashText(error: unknown): string {
  return error instanceof HookAbortError
    ? `threw HookAbortError ('${error.reason}'), which aborts nothing: return Decide.abort(reason) instead`
    : `failed: ${describeError(error)}`;
}

const isHookDecision = (value: unknown): value is HookDecision => isDecisionFor(value, 'hook');

// The cancellation of a child run that a hook started is a crash of that hook like any other.
function isCancellation(error: unknown, { call }: HookCall): boolean {
  const cancelled = call?.signal.aborted === true;
  if (error instanceof RunCancelledError) {
    return cancelled || call === undefined || error.runId === undefined || error.runId === call.runId;
  }
  return cancelled && (error === call.signal.reason || errorName(error) === 'AbortError');
}
