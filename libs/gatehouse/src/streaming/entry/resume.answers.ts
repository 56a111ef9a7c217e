import { Injectable } from '@nestjs/common';

import { ApprovalService } from '../../approvals/approval.service.js';
import type { ApprovalRequest, Decision } from '../../contracts/approval.js';
import type { ExternalResult } from '../../contracts/deferred.call.js';
import { ApprovalNotFoundError } from '../../contracts/errors/approval-not-found.error.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import type { StoredDeferral } from '../../contracts/ports/stored.deferral.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { isUuid } from '../../values/ids.js';
import { badField, ProblemError } from '../http/problem.error.js';
import type { EntryInput, RunEntry } from './run.entry.js';

const MOST_APPROVALS = 500;

/** What a client's answers come to, each for what it answers. */
export interface ReadAnswers {
  readonly run: StoredRun;
  readonly decisions: readonly Decision[];
  readonly results: readonly ExternalResult[];
}

/** Reads a client's answers against the approvals and deferred calls that really wait. Decides nothing. */
@Injectable()
export class ResumeAnswers {
  constructor(
    private readonly reader: RunReader,
    private readonly service: ApprovalService,
  ) {}

  /** Throws what the client is told where the answers do not fit: unknown or forged, for a run that no longer waits, not all of them, not theirs to give. */
  async read(entry: RunEntry): Promise<ReadAnswers> {
    const { input, principal, access, protocol } = entry;
    const run = (await this.reader.runs({ threadId: input.threadId, status: 'suspended', limit: 1 })).items[0];
    if (run === undefined) throw await this.noLongerWaits(entry);
    const { items: approvals } = await this.reader.approvals({ runId: run.id, limit: MOST_APPROVALS });
    const deferrals = await this.reader.deferrals(run.id);
    const { answers, results } = apart(deferrals, input);
    const decisions = protocol.unknownAnswers === 'ignored' ? issuedOnly(approvals, answers) : answers;
    const answered = decisions.map((answer) => issued(approvals, answer));
    for (const approval of answered) {
      if (!(await access.approval(principal, 'approval.read', approval))) throw new ApprovalNotFoundError(approval.id);
      if (!(await access.approval(principal, 'approval.decide', approval)))
        await this.service.refuse(approval.id, principal, 'the access policy says no');
    }
    refuseIncomplete(approvals, decisions, deferrals, results);
    return { run, decisions, results };
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

/** Answers to approvals, and results of deferred calls: which is which, only what waits can tell. */
function apart(deferrals: readonly StoredDeferral[], { answers, results = [] }: EntryInput) {
  const handedOn = new Set<string | undefined>(deferrals.map(({ operationId }) => operationId));
  const given = results.filter(({ operationId }) => handedOn.has(operationId));
  for (const { approvalId: id } of answers) {
    if (handedOn.has(id) && !given.some(({ operationId }) => operationId === id))
      throw badField('resume', `must hold payload.result or payload.error for the deferred call ${id}`);
  }
  return { answers: answers.filter(({ approvalId }) => !handedOn.has(approvalId)), results: given };
}

/** Deferred calls are interrupts only where no approval waits; beside one they may come later. */
function refuseIncomplete(
  approvals: readonly ApprovalRequest[],
  decisions: readonly Decision[],
  deferrals: readonly StoredDeferral[],
  results: readonly ExternalResult[],
): void {
  const pending = approvals.filter(({ status }) => status === 'pending').map(({ id }) => id);
  const open = deferrals.filter(({ status }) => status === 'open').map(({ operationId }) => operationId);
  const undecided = pending.filter((id) => !decisions.some(({ approvalId }) => approvalId === id));
  if (undecided.length > 0) throw incomplete('approval that waits needs an answer', undecided);
  const unanswered = open.filter((id) => !results.some(({ operationId }) => operationId === id));
  if (pending.length === 0 && unanswered.length > 0) throw incomplete('deferred call needs its result', unanswered);
}

const incomplete = (rule: string, missing: readonly string[]): ProblemError =>
  new ProblemError(409, 'resume_incomplete', `Every ${rule} in one request; missing: ${missing.join(', ')}.`);
