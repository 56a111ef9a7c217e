import { Injectable } from '@nestjs/common';

import { ApprovalService } from '../../approvals/approval.service.js';
import { RunNotResumableError } from '../../contracts/errors/run-not-resumable.error.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { activeSegment, type ActiveSegment } from '../ai-sdk/active.segment.js';
import { ProblemError } from '../http/problem.error.js';
import type { RunEntry } from './run.entry.js';

const MOST_APPROVALS = 500;

/** Whether an answer was refused only because the run goes on already, or has ended. */
export const comesTooLate = (error: unknown): boolean =>
  error instanceof RunNotResumableError || (error instanceof ProblemError && error.code === 'run_conflict');

/** What was said already, said once more while the run goes on with it: a request that was sent twice, or by two tabs. */
@Injectable()
export class RepeatedAnswers {
  constructor(
    private readonly reader: RunReader,
    private readonly service: ApprovalService,
  ) {}

  /**
   * The segment that goes on with these very answers; nothing where there is none, or they are answers to something else. Throws what refuses them where
   * they are not the ones that stand. Decides nothing.
   */
  async segment({ input, principal, access }: RunEntry): Promise<ActiveSegment | undefined> {
    const active = await activeSegment(this.reader, input.threadId);
    if (active === undefined || (input.results ?? []).length > 0) return undefined;
    const { items } = await this.reader.approvals({ runId: active.run.id, limit: MOST_APPROVALS });
    const asked = new Map(items.map((approval) => [approval.id, approval]));
    const decisions = input.answers.filter(({ approvalId }) => asked.has(approvalId));
    if (decisions.length === 0) return undefined;
    for (const { approvalId } of decisions) {
      const approval = asked.get(approvalId);
      // One that is asked right now would be decided here.
      if (approval === undefined || approval.status === 'pending') return undefined;
      const may = (action: 'approval.read' | 'approval.decide') => access.approval(principal, action, approval);
      if (!(await may('approval.read')) || !(await may('approval.decide'))) return undefined;
    }
    await this.service.decideAll(decisions, principal);
    return active;
  }
}
