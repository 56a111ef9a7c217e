import type { ToolCall } from '../tool.call.js';

/** What a failed call reads like to the model. Replace by this DI token. */
export abstract class ToolFailurePolicy {
  /** Whether this error must end the run instead (a denial, or the policy is off). */
  abstract endsRun(error: unknown): boolean;
  /** The text for the model, or rethrows what must end the run. Logs what it converts. */
  abstract toResult(error: unknown, call: Pick<ToolCall, 'toolName' | 'operationId' | 'runId'>): string;
}
