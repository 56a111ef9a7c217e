import { Injectable, Logger } from '@nestjs/common';
import type { ApprovalAnswer, ApprovalRequest, Decision } from '../contracts/approval.js';
import { ApprovalConflictError } from '../contracts/errors/approval-conflict.error.js';
import { ApprovalNotFoundError } from '../contracts/errors/approval-not-found.error.js';
import type { Page } from '../contracts/page.js';
import { EvidenceStore } from '../contracts/ports/evidence.store.js';
import { ArgumentValidator } from '../contracts/ports/argument.validator.js';
import { RunDispatcher } from '../contracts/ports/run.dispatcher.js';
import { RunReader, type ApprovalQuery } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { NewVote, StoredApproval } from '../contracts/ports/stored.approval.js';
import type { Principal } from '../contracts/principal.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { describeError } from '../values/error-text.js';
import { Redactor } from '../values/redactor.js';
import { ApprovalBallot } from './approval.ballot.js';
import { ApprovalSeals } from './approval.seals.js';
import { viewApproval } from './approval.view.js';
import { verdictError } from './vote.verdicts.js';

/** What became of a claimed call whose outcome was lost, in a person's words. */
export interface ApprovalResolution {
  readonly outcome: 'ran' | 'did-not-run';
  readonly by: Principal;
  readonly note: string;
}

/** What several answers came to, given together. */
export interface DecidedTogether {
  readonly approvals: readonly ApprovalRequest[];
  /** Runs that wait for nobody any more; they were not dispatched. */
  readonly ready: readonly string[];
}

const NOTHING: DecidedTogether = Object.freeze({ approvals: Object.freeze([]), ready: Object.freeze([]) });

/**
 * The one way in for every decision: routes, `resume[]`, chat and programs. Who may see an approval at all is the caller's to check.
 *
 * @example
 * ```ts
 * await approvals.decide(id, { approved: true, by: user, argumentsDigest: shown.argumentsDigest });
 * ```
 */
@Injectable()
export class ApprovalService {
  private readonly logger = new Logger('gatehouse.approvals');
  private readonly ballot: ApprovalBallot;

  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    validator: ArgumentValidator,
    private readonly dispatcher: RunDispatcher,
    private readonly options: ResolvedOptions,
    evidence: EvidenceStore,
    private readonly seals: ApprovalSeals,
    redactor: Redactor,
  ) {
    this.ballot = new ApprovalBallot(reader, validator, evidence, seals.sealing, redactor);
  }

  /** Newest first. Not filtered by who asks. */
  async list(filter: ApprovalQuery = {}): Promise<Page<ApprovalRequest>> {
    const { items, nextCursor } = await this.reader.approvals(filter);
    return Object.freeze({ items: Object.freeze(items.map(viewApproval)), nextCursor });
  }

  /** Throws `ApprovalNotFoundError`. */
  async get(id: string): Promise<ApprovalRequest> {
    return viewApproval(await this.ballot.stored(id));
  }

  /**
   * One person's word. The same word again is a no-op with the same answer. The last one that was waited for resumes the run (`approvals.autoResume`).
   *
   * @throws ApprovalNotFoundError, ApprovalForbiddenError, ApprovalEditError
   * @throws ApprovalConflictError when it was decided otherwise, has expired, or its arguments are not the ones that were shown
   */
  async decide(id: string, answer: ApprovalAnswer): Promise<ApprovalRequest> {
    const { approvals, ready } = await this.cast([await this.ballot.vote(id, answer)]);
    if (this.options.approvals.autoResume) await this.dispatch(ready);
    return approvals[0] ?? this.get(id);
  }

  /** All answers or none. The caller resumes the run itself: nothing is dispatched. Throws as `decide`. */
  async decideAll(decisions: readonly Decision[], by: Principal): Promise<DecidedTogether> {
    const votes: NewVote[] = [];
    for (const { approvalId, ...answer } of decisions)
      votes.push(await this.ballot.vote(approvalId, { ...answer, by }));
    return votes.length === 0 ? NOTHING : this.cast(votes);
  }

  /**
   * Says what became of a claimed call whose outcome was lost.
   *
   * @throws ApprovalNotFoundError, ApprovalForbiddenError
   * @throws ApprovalConflictError when its outcome is known
   */
  async resolve(id: string, { outcome, by, note }: ApprovalResolution): Promise<ApprovalRequest> {
    const { status } = await this.ballot.decidable(id, by);
    const resolved = await this.store.resolve(id, outcome, by.id, note);
    if (resolved === undefined)
      throw new ApprovalConflictError(id, status, `it is ${status}; only an unknown outcome is resolved, once`);
    return viewApproval(resolved);
  }

  /**
   * For whoever asks more than the approval's own rules, an `AccessPolicy` say: records that this person tried to decide, and throws. The one place
   * where such attempts are recorded.
   *
   * @throws ApprovalForbiddenError, always; `ApprovalNotFoundError` for an unknown id
   */
  async refuse(id: string, by: Principal | undefined, why: string): Promise<never> {
    return this.ballot.refuse(await this.ballot.stored(id), by, why);
  }

  /** Records an attempt of somebody who is not even told that there is such an approval. Never throws. */
  noteAttempt(approval: ApprovalRequest, by: Principal | undefined, why: string): Promise<void> {
    return this.ballot.record(approval, by, why);
  }

  private async cast(votes: readonly NewVote[]): Promise<DecidedTogether> {
    const result = await this.store.vote(votes, this.seals.sealing);
    const refusal = votes.flatMap((vote, index) => {
      const one = result.votes[index];
      return one === undefined ? [] : (verdictError(vote.approvalId, one) ?? []);
    });
    if (refusal[0] !== undefined) throw refusal[0];
    if (!result.accepted) throw new ApprovalNotFoundError(votes[0]?.approvalId ?? '');
    const approvals = result.votes.flatMap(({ approval }): readonly StoredApproval[] =>
      approval === undefined ? [] : [approval],
    );
    return Object.freeze({ approvals: Object.freeze(approvals.map(viewApproval)), ready: result.ready });
  }

  // The decision stands whatever becomes of this: the sweeper finds runs that nobody resumed.
  private async dispatch(runIds: readonly string[]): Promise<void> {
    for (const runId of runIds) {
      try {
        await this.dispatcher.dispatch(runId);
      } catch (error) {
        this.logger.error(`Run ${runId} was decided but not resumed: ${describeError(error)}. It is tried again.`);
      }
    }
  }
}
