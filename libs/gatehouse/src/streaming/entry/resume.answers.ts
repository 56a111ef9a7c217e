import { Injectable } from '@nestjs/common';

import type { ApprovalRequest, Decision } from '../../contracts/approval.js';
import { ApprovalForbiddenError } from '../../contracts/errors/approval-forbidden.error.js';
import { ApprovalNotFoundError } from '../../contracts/errors/approval-not-found.error.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { isUuid } from '../../values/ids.js';
import { ProblemError } from '../http/problem.error.js';
import { decisionOf } from './resume.decision.js';
import type { ResumeEntry } from './resume.entry.js';
import type { RunEntry } from './run.entry.js';

const MOST_APPROVALS = 500;

/** Reads `resume[]` against the approvals that really wait. Decides nothing. */
@Injectable()
export class ResumeAnswers {
  constructor(private readonly reader: RunReader) {}

  /** Throws what the client is told where the answers do not fit: unknown or forged, for a run that no longer waits, not all of them, not theirs to give. */
  async read(entry: RunEntry): Promise<{ readonly run: StoredRun; readonly decisions: readonly Decision[] }> {
    const { input, principal, access } = entry;
    const run = (await this.reader.runs({ threadId: input.threadId, status: 'suspended', limit: 1 })).items[0];
    if (run === undefined) throw await this.noLongerWaits(entry);
    const { items: approvals } = await this.reader.approvals({ runId: run.id, limit: MOST_APPROVALS });
    const answered = input.resume.map((answer) => issued(approvals, answer));
    for (const approval of answered) {
      if (!(await access.approval(principal, 'approval.read', approval))) throw new ApprovalNotFoundError(approval.id);
      if (!(await access.approval(principal, 'approval.decide', approval)))
        throw new ApprovalForbiddenError(approval.id, 'the access policy says no');
    }
    const open = approvals.filter(
      ({ id, status }) => status === 'pending' && !answered.some((approval) => approval.id === id),
    );
    if (open.length > 0) throw incomplete(open);
    return { run, decisions: input.resume.map(decisionOf) };
  }

  private async noLongerWaits({ input, access, principal }: RunEntry): Promise<Error> {
    for (const { interruptId } of input.resume) {
      const approval = isUuid(interruptId) ? await this.reader.approval(interruptId) : undefined;
      const known =
        approval?.threadId === input.threadId && (await access.approval(principal, 'approval.read', approval));
      if (!known) return new ApprovalNotFoundError(interruptId);
    }
    return new ProblemError(
      409,
      'run_conflict',
      'The run no longer waits for an answer. Attach to its events, or read it.',
    );
  }
}

function issued<T extends ApprovalRequest>(approvals: readonly T[], { interruptId }: ResumeEntry): T {
  const approval = approvals.find(({ id }) => id === interruptId);
  if (approval === undefined) throw new ApprovalNotFoundError(interruptId);
  return approval;
}

const incomplete = (open: readonly ApprovalRequest[]): ProblemError =>
  new ProblemError(
    409,
    'resume_incomplete',
    `Every open interrupt needs an answer in one request; missing: ${open.map(({ id }) => id).join(', ')}.`,
  );
