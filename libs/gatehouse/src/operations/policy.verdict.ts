import type { ToolFailurePolicy } from '../contracts/ports/tool.failure.policy.js';
import type { ToolCall } from '../contracts/tool.call.js';

/** What the failure policy makes of a failure: a text for the model, or an end of the run. */
export type PolicyVerdict = { readonly content: string } | { readonly ends: unknown };

/** Asks the policy. What it throws, instead of a text or of an answer, ends the run. */
export function verdictOn(error: unknown, policy: ToolFailurePolicy, call: ToolCall): PolicyVerdict {
  try {
    return policy.endsRun(error) ? { ends: error } : { content: policy.toResult(error, call) };
  } catch (thrown) {
    return { ends: thrown };
  }
}
