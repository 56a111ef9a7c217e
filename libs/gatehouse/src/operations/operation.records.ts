import { Injectable } from '@nestjs/common';
import type { OperationFinished } from '../contracts/operation.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { canonicalText } from '../values/canonical-json.js';
import { describeError } from '../values/error-text.js';
import { Redactor } from '../values/redactor.js';
import type { BoundArguments } from './bound.arguments.js';
import type { Operation } from './operation.js';
import type { RunScope } from './run.scope.js';

/** Turns a finished operation into its row of the decision ledger: redacted, and never dependent on `audit`. */
@Injectable()
export class OperationRecords {
  constructor(
    private readonly redactor: Redactor,
    private readonly options: ResolvedOptions,
    private readonly traces: TraceContext,
  ) {}

  record(operation: Operation, scope: RunScope, finished: OperationFinished): OperationRecord {
    const { exception, rejection } = finished;
    return Object.freeze({
      id: operation.id,
      runId: scope.runId,
      threadId: scope.threadId,
      step: operation.step,
      position: operation.position,
      kind: finished.request.kind,
      toolName: operation.toolName,
      toolCallId: operation.toolCallId,
      argumentsRepr: this.redactedArguments(operation),
      argumentsDigest: proposedArguments(operation)?.digest ?? null,
      executedDigest: executedDigest(operation),
      status: finished.status,
      outcome: finished.outcome,
      executionStarted: finished.executionStarted,
      decidedBy: finished.decidedBy ?? null,
      reason: this.text(rejection?.reason ?? finished.reason),
      guidance: this.text(rejection?.guidance),
      blockedByOperationId: finished.blockedByOperationId ?? null,
      redirectedFromOperationId: finished.redirectedFromOperationId ?? null,
      approvalId: operation.approvalId ?? null,
      error: exception === undefined ? null : this.text(describeError(exception)),
      shadowed: finished.shadowed,
      organizationId: scope.organizationId ?? this.options.audit.defaults.organizationId ?? null,
      principalId: scope.user?.id ?? null,
      parentOperationId: scope.parentOperationId ?? null,
      startedAt: finished.startedAt,
      finishedAt: finished.finishedAt,
      durationMs: finished.durationMs,
      ...(operation.trace ?? this.traces.current()),
    });
  }

  /** What may be shown of the arguments: of no JSON at all, nothing but that. */
  redactedArguments(operation: Operation): string {
    const validated = proposedArguments(operation);
    if (validated !== undefined) return this.redactedText(validated);
    if (typeof operation.proposed !== 'string') return canonicalText(this.redactor.redact(operation.proposed ?? {}));
    try {
      return canonicalText(this.redactor.redact(JSON.parse(operation.proposed === '' ? '{}' : operation.proposed)));
    } catch {
      return JSON.stringify(`[not JSON: ${operation.proposed.length} characters]`);
    }
  }

  private redactedText({ plain, text }: BoundArguments): string {
    const shown = this.redactor.redact(plain);
    // Where nothing was hidden, the canonical text is there already.
    return JSON.stringify(shown) === text ? text : canonicalText(shown);
  }

  private text(text: string | undefined): string | null {
    return text === undefined ? null : this.redactor.redactText(text);
  }
}

const proposedArguments = ({ inspected, arguments: bound }: Operation): BoundArguments | undefined =>
  inspected ?? bound;

const executedDigest = ({ inspected, arguments: bound }: Operation): string | null =>
  inspected === undefined || bound === undefined || bound.text === inspected.text ? null : bound.digest;
