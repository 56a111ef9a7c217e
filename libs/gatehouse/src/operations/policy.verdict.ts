import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { ToolFailurePolicy } from '../contracts/ports/tool.failure.policy.js';
import type { ToolCall } from '../contracts/tool.call.js';

/** What the failure policy makes of a failure: a text for the model, or an end of the run. */
export type PolicyVerdict = { readonly content: string } | { readonly ends: unknown };

/** Asks the policy. What it throws, instead of a text or of an answer, ends the run; so does an answer that is neither. */
export function verdictOn(error: unknown, policy: ToolFailurePolicy, call: ToolCall): PolicyVerdict {
  try {
    const ends: unknown = policy.endsRun(error);
    if (ends instanceof Promise) throw noAnswer('endsRun', ends, 'true or false', call, error);
    if (ends) return { ends: error };
    const content: unknown = policy.toResult(error, call);
    if (typeof content !== 'string') throw noAnswer('toResult', content, 'a text', call, error);
    return { content };
  } catch (thrown) {
    return { ends: thrown };
  }
}

/** The policy is asked, not awaited: whatever a promise of it comes to is too late, and nobody else would catch it. */
function noAnswer(method: string, answer: unknown, wanted: string, call: ToolCall, cause: unknown): ConfigurationError {
  if (answer instanceof Promise) answer.catch(() => undefined);
  const given = answer instanceof Promise ? 'a promise' : answer === null ? 'null' : `a value of type ${typeof answer}`;
  return new ConfigurationError(
    `ToolFailurePolicy.${method} answered ${given} for a failure of '${call.toolName}' (operation ${call.operationId}). ` +
      `Answer ${wanted}, without async.`,
    { cause },
  );
}
