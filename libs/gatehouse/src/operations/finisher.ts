import { Injectable } from '@nestjs/common';
import { Clock } from '../contracts/clock.js';
import { LeaseLostError } from '../contracts/errors/lease-lost.error.js';
import { OperationDeliveryError } from '../contracts/errors/operation-delivery.error.js';
import type { OperationFinished, ToolCallResult } from '../contracts/operation.js';
import { TraceContext } from '../contracts/ports/trace.context.js';
import { Redactor } from '../values/redactor.js';
import { requestOf } from './inspection.stage.js';
import type { Operation } from './operation.js';
import { OperationRecords } from './operation.records.js';
import type { Ending, RunEnd } from './passage.js';
import type { RunScope } from './run.scope.js';
import { tracedCall, tracedEnd } from './traced.call.js';

/** Step 10: one fact, to the ledger and once to each listener; then the result for the model. */
@Injectable()
export class Finisher {
  constructor(
    private readonly clock: Clock,
    private readonly records: OperationRecords,
    private readonly redactor: Redactor,
    private readonly traces: TraceContext,
  ) {}

  /** Returns what ends the run, if anything: the ending's own reason, or a listener that could not be told. */
  async finish(operation: Operation, scope: RunScope, ending: Ending): Promise<RunEnd | undefined> {
    const finished = this.fact(operation, scope, ending);
    operation.finished = finished;
    operation.result = resultOf(operation, ending);
    scope.waiting.delete(operation.id);
    if (this.traces.spans) this.trace(operation, scope, ending);
    scope.ledger.note(finished, this.records.record(operation, scope, finished));
    // Of a run that another process may own by now, that process tells.
    const undelivered = mayTell(scope, ending) ? await this.tell(operation, scope) : undefined;
    return ending.ends ?? undelivered;
  }

  /** Tells the listeners how an operation ended, once. Returns what kept one from being told. */
  async tell(operation: Operation, scope: Pick<RunScope, 'roles'>): Promise<RunEnd | undefined> {
    if (operation.told || operation.finished === undefined) return undefined;
    operation.told = true;
    return this.deliver(operation.finished, scope);
  }

  /** What never ran has a span too, else nobody could tell it from what was never proposed. An output is no call. */
  private trace(operation: Operation, scope: RunScope, ending: Ending): void {
    if (operation.traced || operation.kind === 'output') return;
    const call = tracedCall(operation, scope, this.records);
    operation.trace = this.traces.settled(call, tracedEnd(ending, this.redactor));
  }

  private fact(operation: Operation, scope: RunScope, ending: Ending): OperationFinished {
    return Object.freeze({
      // A refusal and its record hold the very same request.
      request: ending.rejection?.request ?? operation.request ?? requestOf(operation, scope),
      status: ending.status,
      outcome: ending.outcome,
      executionStarted: operation.executed,
      rejection: ending.rejection,
      blockedByOperationId: ending.blockedBy,
      redirectedFromOperationId: operation.redirectedFrom,
      shadowed: Object.freeze([...operation.shadowed]),
      decidedBy: ending.decidedBy,
      reason: ending.reason,
      exception: ending.error,
      startedAt: operation.startedAt,
      finishedAt: this.clock.now(),
      durationMs: this.clock.monotonic() - operation.startedTick,
    });
  }

  private async deliver(finished: OperationFinished, scope: Pick<RunScope, 'roles'>): Promise<RunEnd | undefined> {
    for (const { role } of scope.roles.listeners) {
      try {
        await role.operationFinished?.(finished);
      } catch (cause) {
        return { error: new OperationDeliveryError(finished, cause), stage: 'delivery' };
      }
    }
    return undefined;
  }
}

const mayTell = ({ roles, fence }: RunScope, { ends }: Ending): boolean =>
  roles.listeners.length > 0 && !(ends?.error instanceof LeaseLostError) && fence.isHeld?.() !== false;

const resultOf = (operation: Operation, ending: Ending): ToolCallResult =>
  Object.freeze({
    toolCallId: operation.toolCallId,
    toolName: operation.toolName,
    operationId: operation.id,
    status: ending.status,
    outcome: ending.outcome,
    content: ending.content,
    value: ending.value,
    error: ending.error,
  });
