import { Injectable } from '@nestjs/common';
import { EvidenceWriter } from '../audit/evidence.writer.js';
import { ApprovalRequired } from '../contracts/errors/approval-required.js';
import { CallDeferred } from '../contracts/errors/call-deferred.js';
import { ControlError } from '../contracts/errors/control.error.js';
import { RunSuspended } from '../contracts/errors/run-suspended.js';
import type { ProposedCall, ToolCallResult } from '../contracts/operation.js';
import { OperationFactory } from '../operations/operation.factory.js';
import { ResponsePipeline } from '../operations/response.pipeline.js';
import type { RunScope } from '../operations/run.scope.js';
import { isPending } from '../values/pending.js';
import { ImplicitRuns, type Caller } from './implicit.runs.js';
import { valueOf } from './live.run.context.js';

/** Who calls, and with what. */
export type CallOptions = Caller;

/**
 * Calls tools from code, through the whole pipeline. A gated call throws `ApprovalRequired` with the id of the stored approval; the decision runs it.
 *
 * @example
 * ```ts
 * const order = await tools.call('lookup_order', { order: 1001 }, { user });
 * ```
 */
@Injectable()
export class ToolExecutor {
  constructor(
    private readonly operations: OperationFactory,
    private readonly responses: ResponsePipeline,
    private readonly implicit: ImplicitRuns,
    private readonly evidence: EvidenceWriter,
  ) {}

  /**
   * Throws what happened: the method's own object, `OperationRejectedError`, `InvalidArgumentsError`, `UnknownToolError`, `ForbiddenException` of a guard,
   * `ApprovalRequired`.
   */
  async call(name: string, args: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    const [result] = await this.respond([{ toolName: name, args }], options, true);
    return valueOf(result);
  }

  /** One response: emission order, the barrier, one result for each call. Throws what ends a run, and `ApprovalRequired`. */
  callBatch(calls: readonly ProposedCall[], options: CallOptions = {}): Promise<readonly ToolCallResult[]> {
    return this.respond(calls, options, false);
  }

  private async respond(
    calls: readonly ProposedCall[],
    options: CallOptions,
    direct: boolean,
  ): Promise<readonly ToolCallResult[]> {
    const operations = calls.map((call, at) => this.operations.proposed(call, idOf(call), 1, at));
    const beginning = this.implicit.begin(operations, options, direct);
    const run = isPending(beginning) ? await beginning : beginning;
    try {
      const outcome = await this.responses.run(operations, run.scope);
      if (outcome.ends !== undefined) {
        await run.end(outcome, outcome.ends);
        throw ofRun(run.scope, outcome.ends.error);
      }
      if (outcome.waiting.length > 0) return await run.park(outcome);
      return run.results(outcome);
    } catch (error) {
      if (error instanceof RunSuspended) throw signalOf(error);
      throw error;
    } finally {
      for (const record of run.scope.ledger.takeRecords()) this.evidence.submitOperation(record);
      run.close();
    }
  }
}

/** What the caller is told in the words of a tool: what was approved meanwhile, and went on, may have been handed on. */
const signalOf = ({ approvalIds: [approvalId], deferredIds }: RunSuspended) =>
  approvalId === undefined ? new CallDeferred({ operationIds: deferredIds }) : new ApprovalRequired({}, approvalId);

/** What ended this run, and only this one: to the run of a tool that made the call it is an ordinary failure. What came from above stays what it is. */
const ofRun = ({ runId, signal }: RunScope, error: Error): Error => {
  if (error instanceof ControlError && error !== signal.reason) error.runId ??= runId;
  return error;
};

const idOf = ({ toolCallId }: ProposedCall): string | undefined => {
  const id: unknown = toolCallId;
  return typeof id === 'string' && id !== '' ? id : undefined;
};
