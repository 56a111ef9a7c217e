import { Injectable } from '@nestjs/common';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import { OperationRejectedError } from '../contracts/errors/operation-rejected.error.js';
import { RunAbortedError } from '../contracts/errors/run-aborted.error.js';
import type { OperationRejection, OperationRequest } from '../contracts/operation.js';
import { rejectionText } from '../failure/model.texts.js';
import { frozenContainer } from '../values/deep-freeze.js';
import type { Operation } from './operation.js';
import { asError, end, type Passage, type RunEnd } from './passage.js';
import type { RunScope } from './run.scope.js';

/** Step 5: the inspectors' word on the final tool and arguments. Fails closed. */
@Injectable()
export class InspectionStage {
  async inspect(operation: Operation, scope: RunScope): Promise<Passage> {
    operation.request = requestOf(operation, scope);
    if (scope.roles.inspectors.size === 0) return undefined;
    try {
      const { decision } = await scope.roles.inspectors.inspectOperation(operation.request);
      if (decision.kind === 'reject') return this.rejected(operation, scope, decision.reason, decision.guidance);
      return decision.kind === 'abort' ? this.aborted(decision.reason) : undefined;
    } catch (thrown) {
      const error = asError(thrown);
      return end({
        status: 'failed',
        outcome: 'failed',
        decidedBy: 'inspector',
        content: '',
        error,
        ends: { error, stage: 'operation_inspection' },
      });
    }
  }

  private aborted(reason: string): Passage {
    const error = new RunAbortedError(reason, 'operation');
    return end({
      status: 'aborted',
      outcome: 'skipped',
      decidedBy: 'inspector',
      content: '',
      reason,
      error,
      ends: { error, stage: 'operation_inspection' },
    });
  }

  private rejected(operation: Operation, scope: RunScope, reason: string, guidance?: string): Passage {
    const request = operation.request ?? requestOf(operation, scope);
    const rejection: OperationRejection = Object.freeze({ request, reason, guidance });
    return end({
      status: 'rejected',
      outcome: 'denied',
      decidedBy: 'inspector',
      content: rejectionText({ ...request, reason, guidance }),
      reason,
      rejection,
      // A program's own call gets the refusal thrown.
      error: scope.direct ? new OperationRejectedError(rejection) : undefined,
      ends: refusedTooOften(operation.toolName, operation.arguments?.digest ?? '', scope),
    });
  }
}

/** Refusals are a loop a model can fall into: a few of the same, or of one tool in a row, end the run. */
export const refusedTooOften = (toolName: string, digest: string, scope: RunScope): RunEnd | undefined => {
  const { same, inARow } = scope.ledger.refused(toolName, digest);
  const { repeatedRefusals, toolRefusals } = scope.limits;
  if (same > repeatedRefusals)
    return { error: new LimitExceededError('repeatedRefusals', repeatedRefusals), stage: 'limit' };
  if (inARow > toolRefusals) return { error: new LimitExceededError('toolRefusals', toolRefusals), stage: 'limit' };
  return undefined;
};

/** The request as inspectors, listeners and records see it. */
export const requestOf = (operation: Operation, scope: RunScope): OperationRequest => {
  const definition = operation.tool?.definition;
  return Object.freeze({
    operationId: operation.id,
    runId: scope.runId,
    threadId: scope.threadId,
    step: operation.step,
    position: operation.position,
    kind: operation.kind,
    toolName: operation.toolName,
    args: shownArguments(operation),
    argumentsDigest: operation.arguments?.digest ?? '',
    tool: definition,
    user: scope.user,
    organizationId: scope.organizationId,
    parentOperationId: scope.parentOperationId,
    approved: operation.approval !== undefined,
    state: scope.state,
  });
};

/** A deeply frozen copy for gated tools: nothing an inspector holds reaches the method. Else a frozen container around the live values. */
const shownArguments = (operation: Operation): unknown => {
  const validated = operation.arguments;
  if (validated === undefined) return undefined;
  const gated = operation.approval !== undefined || operation.tool?.definition.gate.gated === true;
  return gated ? validated.plain : frozenContainer(validated.value);
};
