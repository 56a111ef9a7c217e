import { Injectable } from '@nestjs/common';
import type { Awaitable } from '../contracts/awaitable.js';
import { ApprovalVoidError } from '../contracts/errors/approval-void.error.js';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import { NobodyToAskError } from '../contracts/errors/nobody-to-ask.error.js';
import { ToolGuard } from '../contracts/ports/tool.guard.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { ToolGate } from '../contracts/tool.definition.js';
import { draftApproval } from '../approvals/approval.draft.js';
import { somebodyMayDecide } from '../approvals/approver.rules.js';
import { nobodyToAskText } from '../failure/model.texts.js';
import { isPending } from '../values/pending.js';
import { Redactor } from '../values/redactor.js';
import type { Operation } from './operation.js';
import { asError, end, type Passage, type Stop } from './passage.js';
import type { RunScope } from './run.scope.js';
import { opened } from './validation.stage.js';

/** Step 6: does a person decide, and has one. The row is committed before anyone is told. */
@Injectable()
export class GateStage {
  constructor(
    private readonly guard: ToolGuard,
    private readonly options: ResolvedOptions,
    private readonly redactor: Redactor,
  ) {}

  async pass(operation: Operation, scope: RunScope): Promise<Passage> {
    if (operation.approval !== undefined) return undefined;
    const holding = operation.mustBeApproved || this.gated(operation);
    if (isPending(holding) ? await holding : holding) return this.ask(operation, scope);
    return undefined;
  }

  /** Whether the gate holds these arguments; a guard that throws, or does not say that they are free, holds everything. */
  private gated(operation: Operation): Awaitable<boolean> {
    const { tool, call } = opened(operation);
    try {
      const deciding = this.guard.decide(tool.definition, call.args, call);
      return isPending(deciding) ? deciding.then(isHeld).catch(() => true) : isHeld(deciding);
    } catch {
      return true;
    }
  }

  /** Stores the request; the operation waits. One whose approvals became void twice fails. */
  async ask(operation: Operation, scope: RunScope): Promise<Stop> {
    const { tool } = opened(operation);
    if (operation.voided > 1) return spent(operation);
    if (scope.nobodyToAsk === true || !somebodyMayDecide(tool.definition.approval?.approvers ?? {}, scope.user?.id))
      return nobody(operation, scope);
    const full = scope.limits.pendingApprovals;
    if (scope.waiting.size >= full) return limited(new LimitExceededError('pendingApprovals', full));
    // Counted before it is stored: calls that run side by side would all find room for the last one.
    scope.waiting.add(operation.id);
    try {
      const waiting = await scope.approvals.request(this.draft(operation));
      operation.approvalId = waiting.id;
      operation.mustBeApproved = true;
      operation.approval = undefined;
      return { waiting };
    } catch (error) {
      scope.waiting.delete(operation.id);
      return limited(asError(error));
    }
  }

  private draft(operation: Operation) {
    const { tool, call } = opened(operation);
    const { arguments: bound } = operation;
    if (bound === undefined) throw new Error(`Operation ${operation.id} has no validated arguments.`);
    const { receivedText: received, text: validated, digest: argumentsDigest } = bound;
    const waiting = { call, tool: tool.definition, received, validated, argumentsDigest, args: call.args };
    const draft = draftApproval(waiting, { approvals: this.options.approvals, redactor: this.redactor });
    return operation.executed ? { ...draft, executed: true as const } : draft;
  }
}

// A guard without types may answer anything.
const isHeld = ({ gated }: ToolGate): boolean => gated !== false;

const nobody = ({ id, toolName }: Operation, { direct }: RunScope): Stop =>
  end({
    status: 'denied',
    outcome: 'denied',
    decidedBy: 'approval',
    content: nobodyToAskText(),
    reason: 'nobody could be asked',
    // A program's own call gets it thrown.
    error: direct ? new NobodyToAskError(toolName, id) : undefined,
  });

const spent = (operation: Operation): Stop =>
  end({
    status: 'failed',
    outcome: 'failed',
    decidedBy: 'approval',
    content: 'The call changed after it was approved, twice. It was not started.',
    reason: 'the approval became void twice',
    error: new ApprovalVoidError(operation.id, 'the call changed again after it was approved'),
  });

const limited = (error: Error): Stop =>
  end({
    status: error instanceof LimitExceededError ? 'skipped' : 'failed',
    outcome: error instanceof LimitExceededError ? 'skipped' : 'failed',
    decidedBy: error instanceof LimitExceededError ? 'limit' : 'approval',
    content: '',
    error,
    ends: { error, stage: error instanceof LimitExceededError ? 'limit' : 'delivery' },
  });
