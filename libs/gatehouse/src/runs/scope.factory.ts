import { Injectable } from '@nestjs/common';
import { ApprovalSeals } from '../approvals/approval.seals.js';
import type { ToolCallResult } from '../contracts/operation.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { ApprovalGateway, DeferralGateway, RunScope } from '../operations/run.scope.js';
import { newId } from '../values/ids.js';
import type { LiveRun } from './live.run.js';
import { PersistencePatience } from './persistence.patience.js';

/** What one use of the pipeline needs beside the run. */
export interface ScopeUse {
  /** A program's own call gets what was thrown. */
  readonly direct: boolean;
  readonly decided?: ReadonlyMap<string, StoredApproval>;
}

/** The pipeline's view of a live run. */
@Injectable()
export class ScopeFactory {
  constructor(
    private readonly store: RunStore,
    private readonly patience: PersistencePatience,
    private readonly seals: ApprovalSeals,
  ) {}

  scope(live: LiveRun, { direct, decided }: ScopeUse): RunScope {
    const { stored, parts } = live;
    return {
      runId: live.runId,
      threadId: stored.threadId,
      user: stored.user,
      organizationId: stored.organizationId,
      ipAddress: stored.ipAddress,
      parentOperationId: stored.parentOperationId,
      digestKey: stored.digestKey,
      state: live.state,
      signal: live.cancellation.signal,
      fence: live.fence,
      offered: parts.offered,
      limits: parts.limits,
      roles: parts.roles,
      ledger: live.ledger,
      shared: live.shared,
      output: parts.output,
      nobodyToAsk: parts.above !== undefined,
      depth: parts.above?.depth,
      children: live.children,
      waiting: live.waiting,
      approvals: this.gateway(live),
      deferrals: this.deferrals(live),
      heard: true,
      direct,
      decided,
      settled: ({ toolCallId, inText }, result) => {
        if (!inText) live.log.emit(resultEvent(toolCallId, result));
        live.tellState();
      },
      childNews: (child) => live.log.emit(child),
      toolCallOf: (operationId) => live.step?.toolCallOf(operationId),
    };
  }

  /** A child run is waited for by the call that started it: it cannot wait itself. */
  private deferrals({ fence, parts }: LiveRun): DeferralGateway | undefined {
    if (parts.above !== undefined) return undefined;
    return {
      defer: (draft, withdrawn) => this.patience.outlast(() => this.store.defer(fence, draft, withdrawn)),
    };
  }

  gateway(live: LiveRun): ApprovalGateway {
    const { store } = this;
    const { outlast } = this.patience;
    const { sealing } = this.seals;
    const { fence } = live;
    return {
      request: (draft) => outlast(() => store.requestApproval(fence, draft, sealing)),
      claim: (approvalId, argumentsDigest, claimToken) =>
        outlast(() => store.claim(fence, { approvalId, argumentsDigest, claimToken }, sealing)),
      settle: (approvalId, result) => outlast(() => store.settle(fence, approvalId, result)),
    };
  }
}

/** What a stream is told of a call's result. */
export const resultEvent = (toolCallId: string, result: ToolCallResult): RunEvent => ({
  type: 'tool.result',
  messageId: newId(),
  toolCallId,
  toolName: result.toolName,
  operationId: result.operationId,
  status: result.status,
  outcome: result.outcome,
  content: result.content,
});
