import { Injectable, Logger } from '@nestjs/common';
import { ControlError } from '../contracts/errors/control.error.js';
import { TerminalOperationError } from '../contracts/errors/terminal-operation.error.js';
import { ToolFailedError } from '../contracts/errors/tool-failed.error.js';
import { ToolFailurePolicy } from '../contracts/ports/tool.failure.policy.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { ToolCall } from '../contracts/tool.call.js';
import { describeError } from '../values/error-text.js';
import { Redactor } from '../values/redactor.js';
import { isDenial } from './denials.js';
import { failureDetailText, failureText } from './model.texts.js';

type FailedCall = Pick<ToolCall, 'toolName' | 'operationId' | 'runId'>;

/** Keeps a run alive when a tool fails, and ends it on a denial. Idea: the tool failure policy of Django Spec Agents. */
@Injectable()
export class DefaultToolFailurePolicy extends ToolFailurePolicy {
  private readonly logger = new Logger('gatehouse.failure');

  constructor(
    private readonly options: ResolvedOptions,
    private readonly redactor: Redactor,
  ) {
    super();
  }

  override endsRun(error: unknown): boolean {
    const { enabled, reraise } = this.options.failure;
    if (!enabled || error instanceof TerminalOperationError) return true;
    return reraise === undefined ? isDenial(error) : reraise.some((type) => error instanceof type);
  }

  override toResult(error: unknown, call: FailedCall): string {
    // The very object goes on, whatever was thrown.
    if (this.endsRun(error) || isControlOf(error, call.runId)) throw error;
    // The tool chose these words for the model: nothing is converted.
    if (error instanceof ToolFailedError) return this.redactor.redactText(error.message);
    this.log(error, call);
    if (!this.options.failure.includeDetail) return failureText(call.toolName, call.operationId);
    return failureDetailText(call.toolName, call.operationId, error, (text) => this.redactor.redactText(text));
  }

  // The operator's copy: whole and in clear.
  private log(error: unknown, { toolName, operationId, runId }: FailedCall): void {
    const what = `Tool '${toolName}' failed: ${describeError(error)} (operation ${operationId}, run ${runId}). The run goes on.`;
    this.logger.error(what, stackOf(error));
  }
}

// What ended a child run is an ordinary failure of its parent's operation.
function isControlOf(error: unknown, runId: string): boolean {
  return error instanceof ControlError && (error.runId === undefined || error.runId === runId);
}

function stackOf(error: unknown): string | undefined {
  try {
    return error instanceof Error ? error.stack : undefined;
  } catch {
    return undefined;
  }
}
