import { Injectable } from '@nestjs/common';
import type { AuditEvent } from '../contracts/audit.event.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { ToolTarget } from '../contracts/tool.options.js';
import { describeError, errorMessage } from '../values/error-text.js';
import { newId } from '../values/ids.js';
import { Redactor } from '../values/redactor.js';
import { resultSize } from '../values/size-of-result.js';
import { argumentsRepr } from './arguments-repr.js';

/** Whose execution it was, when, and how long the part took that is described. */
export interface ExecutionFacts {
  readonly runId: string;
  readonly threadId: string;
  readonly principalId?: string;
  readonly organizationId?: string;
  readonly ipAddress?: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  /** Milliseconds on a monotonic clock. */
  readonly durationMs: number;
}

/** One started method. */
export interface ToolExecution extends ExecutionFacts {
  readonly toolName: string;
  readonly operationId: string;
  /** As the method received them: what `argumentsText` made of them before it started. */
  readonly argumentsRepr: string;
  readonly target?: ToolTarget;
  /** What the method itself came to, whatever stands around it. */
  readonly outcome: { readonly value: unknown } | { readonly error: unknown };
  /** The method settled after its run had ended. */
  readonly late?: boolean;
}

/** How a run ended that did not end well. */
export type RunEnd =
  | { readonly status: 'cancelled'; readonly source: string; readonly reason?: string }
  | { readonly status: 'failed' | 'aborted' | 'raised'; readonly error: unknown }
  | { readonly status: 'interrupted' };

/** Makes execution records: redacted, bounded, frozen. Never throws. */
@Injectable()
export class AuditEventFactory {
  constructor(
    private readonly redactor: Redactor,
    private readonly options: ResolvedOptions,
    private readonly traces: TraceContext,
  ) {}

  /** Arguments as a record keeps them. To be made before the method starts: it may change what it was given. */
  argumentsText(args: unknown): string {
    return argumentsRepr(args, this.redactor);
  }

  /** The record of one started method. */
  toolEvent(execution: ToolExecution): AuditEvent {
    const { outcome, target } = execution;
    const failed = 'error' in outcome;
    return Object.freeze({
      ...this.common(execution, execution.argumentsRepr),
      kind: 'tool',
      toolName: execution.toolName,
      operationId: execution.operationId,
      success: !failed,
      error: failed ? this.redactor.redactText(describeError(outcome.error)) : null,
      resultSize: failed ? null : resultSize(outcome.value),
      targetType: target?.type ?? null,
      targetId: target?.id ?? null,
      late: execution.late === true,
    });
  }

  /** The record of a run that did not end well. */
  runEvent(facts: ExecutionFacts & { readonly end: RunEnd }): AuditEvent {
    return Object.freeze({
      ...this.common(facts, this.argumentsText({ runId: facts.runId, threadId: facts.threadId })),
      kind: 'run',
      toolName: 'agent.run',
      operationId: null,
      success: false,
      error: this.redactor.redactText(endText(facts.end)),
      resultSize: null,
      targetType: null,
      targetId: null,
      late: false,
    });
  }

  private common(facts: ExecutionFacts, argumentsRepr: string) {
    const { defaults } = this.options.audit;
    const id = newId();
    if (this.traces.spans) this.traces.recorded(id);
    return {
      id,
      runId: facts.runId,
      threadId: facts.threadId,
      principalId: facts.principalId ?? null,
      organizationId: facts.organizationId ?? defaults.organizationId ?? null,
      ipAddress: facts.ipAddress ?? defaults.ipAddress ?? null,
      argumentsRepr,
      durationMs: Math.max(0, facts.durationMs),
      startedAt: facts.startedAt,
      finishedAt: facts.finishedAt,
      ...this.traces.current(),
    };
  }
}

function endText(end: RunEnd): string {
  if (end.status === 'interrupted') return 'interrupted: process lost';
  if (end.status !== 'cancelled') return `run failed: ${errorMessage(end.error)}`;
  return `cancelled: ${end.source}${end.reason ? `: ${end.reason}` : ''}`;
}
