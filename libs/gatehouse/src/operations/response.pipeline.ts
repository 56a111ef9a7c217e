import { Injectable } from '@nestjs/common';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import { deniedText, expiredText, skippedText } from '../failure/model.texts.js';
import { refusedTooOften } from './inspection.stage.js';
import type { Operation } from './operation.js';
import { OperationPipeline, type OperationOutcome } from './operation.pipeline.js';
import type { Ending, RunEnd } from './passage.js';
import type { RunScope } from './run.scope.js';

/** What one response of the model came to. */
export interface ResponseOutcome {
  /** In emission order; redirected ones beside what took their place. */
  readonly operations: readonly Operation[];
  readonly waiting: readonly StoredApproval[];
  readonly ends?: RunEnd;
}

/** What may still block or end the rest of a response. */
interface Barrier {
  blockedBy?: string;
  ends?: RunEnd;
}

/** One response: its calls in emission order, and the barrier between them. */
@Injectable()
export class ResponsePipeline {
  constructor(private readonly pipeline: OperationPipeline) {}

  async run(operations: readonly Operation[], scope: RunScope): Promise<ResponseOutcome> {
    const barrier: Barrier = {};
    const allowed = scope.limits.callsPerResponse;
    if (operations.length > allowed) {
      barrier.ends = { error: new LimitExceededError('callsPerResponse', allowed), stage: 'limit' };
    }
    const outcomes = new Array<OperationOutcome>(operations.length);
    const queue = operations.entries();
    const work = async () => {
      for (const [index, operation] of queue) {
        const outcome = await this.one(operation, scope, barrier);
        outcomes[index] = outcome;
        close(barrier, outcome);
      }
    };
    await Promise.all(Array.from({ length: lanes(scope, operations.length) }, work));
    return {
      operations: outcomes.flatMap((outcome) => outcome.chain),
      waiting: outcomes.flatMap((outcome) => outcome.waiting ?? []),
      ends: barrier.ends,
    };
  }

  private one(operation: Operation, scope: RunScope, barrier: Barrier): Promise<OperationOutcome> {
    const { ends, blockedBy } = barrier;
    if (ends !== undefined) return this.pipeline.conclude(operation, scope, skippedBy(ends, blockedBy));
    if (blockedBy !== undefined) {
      const content = skippedText({ by: 'barrier', operationId: blockedBy });
      return this.pipeline.conclude(operation, scope, { ...SKIPPED, decidedBy: 'barrier', content, blockedBy });
    }
    const answered = answer(operation, scope);
    return answered === undefined
      ? this.pipeline.run(operation, scope)
      : this.pipeline.conclude(operation, scope, answered);
  }
}

const SKIPPED = { status: 'skipped', outcome: 'skipped' } as const;

const skippedBy = (ends: RunEnd, blockedBy: string | undefined): Ending => ({
  ...SKIPPED,
  decidedBy: blockedBy === undefined ? 'limit' : 'barrier',
  content: skippedText(blockedBy === undefined ? { by: causeOf(ends) } : { by: 'barrier', operationId: blockedBy }),
  blockedBy,
});

const causeOf = (ends: RunEnd) => (ends.stage === 'limit' ? 'limit' : 'cancel');

/** A person's no, or nobody's answer, settles an operation that waited. */
const answer = (operation: Operation, scope: RunScope): Ending | undefined => {
  const decided = scope.decided?.get(operation.id);
  if (decided === undefined || decided.status === 'approved') return undefined;
  const expired = decided.status === 'expired';
  return {
    status: expired ? 'expired' : 'denied',
    outcome: 'denied',
    decidedBy: expired ? 'approval' : 'person',
    content: expired ? expiredText() : deniedText(decided.reason),
    reason: expired ? 'nobody answered in time' : decided.reason,
    ends: refusedTooOften(operation.toolName, decided.argumentsDigest, scope),
  };
};

/** In order, unless nobody decides between the calls: then some of them may run side by side. */
const lanes = (scope: RunScope, calls: number): number => {
  const decides = scope.roles.inspectors.size > 0 || scope.roles.hooks.hasBefore;
  return decides ? 1 : Math.max(1, Math.min(calls, scope.limits.parallelToolCalls));
};

const close = (barrier: Barrier, { chain, ends }: OperationOutcome): void => {
  const last = chain.at(-1);
  if (ends !== undefined && barrier.ends === undefined) {
    barrier.ends = ends;
    const nobody = ends.stage === 'limit' || ends.error instanceof RunCancelledError;
    barrier.blockedBy = nobody ? undefined : last?.id;
    return;
  }
  if (last?.finished?.status === 'rejected') barrier.blockedBy ??= last.id;
};
