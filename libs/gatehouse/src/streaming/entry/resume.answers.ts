import { Injectable } from '@nestjs/common';

import { ApprovalService } from '../../approvals/approval.service.js';
import type { ApprovalRequest, Decision } from '../../contracts/approval.js';
import { ApprovalNotFoundError } from '../../contracts/errors/approval-not-found.error.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { isUuid } from '../../values/ids.js';
import { ProblemError } from '../http/problem.error.js';
import type { RunEntry } from './run.entry.js';

const MOST_APPROVALS = 500;

/** Reads a client's answers against the approvals that really wait. Decides nothing. */
@Injectable()
export class ResumeAnswers {
  constructor(
    private readonly reader: RunReader,
    private readonly service: ApprovalService,
  ) {}

  /** Throws what the client is told where the answers do not fit: unknown or forged, for a run that no longer waits, not all of them, not theirs to give. */
  async read(entry: RunEntry): Promise<{ readonly run: StoredRun; readonly decisions: readonly Decision[] }> {
    const { input, principal, access, protocol } = entry;
    const run = (await this.reader.runs({ threadId: input.threadId, status: 'suspended', limit: 1 })).items[0];
    if (run === undefined) throw await this.noLongerWaits(entry);
    const { items: approvals } = await this.reader.approvals({ runId: run.id, limit: MOST_APPROVALS });
    const decisions = protocol.unknownAnswers === 'ignored' ? issuedOnly(approvals, input.answers) : input.answers;
    const answered = decisions.map((answer) => issued(approvals, answer));
    for (const approval of answered) {
      if (!(await access.approval(principal, 'approval.read', approval))) throw new ApprovalNotFoundError(approval.id);
      if (!(await access.approval(principal, 'approval.decide', approval)))
        await this.service.refuse(approval.id, principal, 'the access policy says no');
    }
    const open = approvals.filter(
      ({ id, status }) => status === 'pending' && !answered.some((approval) => approval.id === id),
    );
    if (open.length > 0) throw incomplete(open);
    return { run, decisions };
  }

  private async noLongerWaits({ input, access, principal }: RunEntry): Promise<Error> {
    for (const { approvalId } of input.answers) {
      const approval = isUuid(approvalId) ? await this.reader.approval(approvalId) : undefined;
      const known =
        approval?.threadId === input.threadId && (await access.approval(principal, 'approval.read', approval));
      if (!known) return new ApprovalNotFoundError(approvalId);
    }
    return new ProblemError(
      409,
      'run_conflict',
      'The run no longer waits for an answer. Attach to its events, or read it.',
    );
  }
}

function issued<T extends ApprovalRequest>(approvals: readonly T[], { approvalId }: Decision): T {
  const approval = approvals.find(({ id }) => id === approvalId);
  if (approval === undefined) throw new ApprovalNotFoundError(approvalId);
  return approval;
}

/** The answers to what we asked; at least one, or the request says nothing. */
function issuedOnly(approvals: readonly ApprovalRequest[], answers: readonly Decision[]): readonly Decision[] {
  const real = answers.filter(({ approvalId }) => approvals.some(({ id }) => id === approvalId));
  return real.length === 0 ? answers : real;
}

const incomplete = (open: readonly ApprovalRequest[]): ProblemError =>
  new ProblemError(
    409,
    'resume_incomplete',
    `Every approval that waits needs an answer in one request; missing: ${open.map(({ id }) => id).join(', ')}.`,
  );
