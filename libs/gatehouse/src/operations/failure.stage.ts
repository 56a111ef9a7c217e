import { Injectable, Logger } from '@nestjs/common';
import { ApprovalRequired } from '../contracts/errors/approval-required.js';
import { ApprovalUnverifiedError } from '../contracts/errors/approval-unverified.error.js';
import { ApprovalVoidError } from '../contracts/errors/approval-void.error.js';
import { CallDeferred } from '../contracts/errors/call-deferred.js';
import { ControlError } from '../contracts/errors/control.error.js';
import { HookAbortError } from '../contracts/errors/hook-abort.error.js';
import { RetryBudgetExceededError } from '../contracts/errors/retry-budget-exceeded.error.js';
import { RunAbortedError } from '../contracts/errors/run-aborted.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import { SkipToolExecution } from '../contracts/errors/skip-tool-execution.js';
import { TerminalOperationError } from '../contracts/errors/terminal-operation.error.js';
import { ToolFailedError } from '../contracts/errors/tool-failed.error.js';
import { ToolRetryError } from '../contracts/errors/tool-retry.error.js';
import { ToolFailurePolicy } from '../contracts/ports/tool.failure.policy.js';
import type { RunStage } from '../contracts/statuses.js';
import { isDenial } from '../failure/denials.js';
import { contentOf, interruptedText, unverifiedText, voidText } from '../failure/model.texts.js';
import { Redactor } from '../values/redactor.js';
import { ApprovalRenewal } from './approval.renewal.js';
import type { CoreView } from './core.view.js';
import { CoreVerdict } from './core.verdict.js';
import { DeferralStage } from './deferral.stage.js';
import { HookStage, stoppedByHook } from './hook.stage.js';
import type { Operation } from './operation.js';
import { asError, end, type Stop } from './passage.js';
import { verdictOn } from './policy.verdict.js';
import type { RunScope } from './run.scope.js';
import { opened } from './validation.stage.js';

/** What became of an operation whose execution threw: signals first, then what ends the run, then hooks, then the policy. */
@Injectable()
export class FailureStage {
  private readonly logger = new Logger('gatehouse.operations');

  constructor(
    private readonly renewal: ApprovalRenewal,
    private readonly deferral: DeferralStage,
    private readonly hooks: HookStage,
    private readonly policy: ToolFailurePolicy,
    private readonly redactor: Redactor,
  ) {}

  async failed(operation: Operation, scope: RunScope, view: CoreView, error: unknown): Promise<Stop> {
    return (
      (await this.verdict(operation, scope, error)) ??
      (await this.signal(operation, scope, view, error)) ??
      this.ending(operation, scope, error) ??
      (await this.ordinary(operation, scope, error))
    );
  }

  private async verdict(operation: Operation, scope: RunScope, error: unknown): Promise<Stop | undefined> {
    if (error instanceof CoreVerdict) {
      return error.stop ?? this.renewal.again(operation, scope, error.changed);
    }
    if (!(error instanceof ApprovalVoidError)) return undefined;
    this.logger.warn(error.message);
    return end({
      status: 'failed',
      outcome: 'failed',
      decidedBy: 'approval',
      content: error instanceof ApprovalUnverifiedError ? unverifiedText() : voidText(),
      reason: error.why,
      error,
    });
  }

  private async signal(
    operation: Operation,
    scope: RunScope,
    view: CoreView,
    error: unknown,
  ): Promise<Stop | undefined> {
    if (error instanceof ApprovalRequired) return this.renewal.again(operation, scope);
    if (error instanceof CallDeferred) return this.deferral.handedOn(operation, scope, error);
    if (error instanceof SkipToolExecution) {
      const content = contentOf(error.result, this.redactor);
      return end({ status: 'stubbed', outcome: 'denied', decidedBy: 'middleware', content, value: error.result });
    }
    if (error instanceof ToolFailedError) {
      return end({ status: 'failed', outcome: 'failed', content: this.redactor.redactText(error.message), error });
    }
    return error instanceof ToolRetryError ? this.retry(operation, scope, view, error) : undefined;
  }

  /** The method's own retry signal was counted where it was thrown; a middleware's is counted here, and past its budget it ends the run. */
  private retry(operation: Operation, scope: RunScope, view: CoreView, error: ToolRetryError): Stop {
    const asked = end({ status: 'failed', outcome: 'retry', content: this.redactor.redactText(error.message), error });
    if (scope.direct || view.thrown === error) return asked;
    const allowed = opened(operation).tool.retries ?? scope.limits.toolRetries;
    if (scope.ledger.spendRetry(operation.toolName, operation.step, allowed)) return asked;
    const spent = new RetryBudgetExceededError(operation.toolName, allowed, { cause: error });
    return end({
      status: 'failed',
      outcome: 'failed',
      decidedBy: 'middleware',
      content: '',
      error: spent,
      ends: { error: spent, stage: 'executor' },
    });
  }

  /** What no policy converts in its own run. A child's control error is an ordinary failure here, but a terminal one keeps its class. */
  private ending(operation: Operation, scope: RunScope, thrown: unknown): Stop | undefined {
    // Whatever a method throws once its signal is aborted (an AbortError of Node's own, say): it was interrupted.
    const reason: unknown = scope.signal.aborted ? scope.signal.reason : undefined;
    const ours = !(thrown instanceof ControlError) || (thrown.runId ?? scope.runId) === scope.runId;
    if (reason !== undefined || (thrown instanceof RunCancelledError && ours)) {
      const error = asError(reason ?? thrown);
      const content = interruptedText(operation.toolName, operation.id);
      return end({ status: 'interrupted', outcome: 'skipped', content, error, ends: { error, stage: 'executor' } });
    }
    if (!(thrown instanceof ControlError)) return undefined;
    if (!ours && !(thrown instanceof TerminalOperationError)) return undefined;
    const aborted = thrown instanceof RunAbortedError || thrown instanceof HookAbortError;
    const status = aborted ? 'aborted' : 'failed';
    return end({ status, outcome: 'skipped', content: '', error: thrown, ends: { error: thrown, stage: 'executor' } });
  }

  private async ordinary(operation: Operation, scope: RunScope, error: unknown): Promise<Stop> {
    try {
      const redirect = await this.hooks.failed(operation, scope, error);
      if (redirect !== undefined && operation.redirects < scope.limits.redirects) {
        return end({ status: 'failed', outcome: 'failed', decidedBy: 'hook', content: '', error, redirect });
      }
      if (redirect !== undefined)
        this.logger.warn(`A hook redirected ${operation.toolName} (${operation.id}) once too often.`);
    } catch (aborted) {
      return stoppedByHook(aborted) as Stop;
    }
    return this.converted(operation, scope, error);
  }

  private converted(operation: Operation, scope: RunScope, error: unknown): Stop {
    if (scope.direct) return end({ status: 'failed', outcome: 'failed', content: '', error });
    const verdict = verdictOn(error, this.policy, opened(operation).call);
    if ('content' in verdict) return end({ status: 'failed', outcome: 'failed', content: verdict.content, error });
    const stage: RunStage = isDenial(verdict.ends) ? 'denial' : 'executor';
    const ends = { error: asError(verdict.ends), stage };
    return end({ status: 'failed', outcome: 'failed', content: '', error, ends });
  }
}
