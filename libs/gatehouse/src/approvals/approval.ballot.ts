import { Logger } from '@nestjs/common';
import type { ApprovalAnswer, ApprovalRequest } from '../contracts/approval.js';
import { ApprovalConflictError } from '../contracts/errors/approval-conflict.error.js';
import { ApprovalEditError } from '../contracts/errors/approval-edit.error.js';
import { ApprovalForbiddenError } from '../contracts/errors/approval-forbidden.error.js';
import { ApprovalNotFoundError } from '../contracts/errors/approval-not-found.error.js';
import type { ArgumentValidator } from '../contracts/ports/argument.validator.js';
import type { ApprovalSealing } from '../contracts/ports/approval.sealing.js';
import type { EvidenceStore } from '../contracts/ports/evidence.store.js';
import type { RunReader } from '../contracts/ports/run.reader.js';
import type { EditedArguments, NewVote, StoredApproval } from '../contracts/ports/stored.approval.js';
import type { JsonValue } from '../contracts/json.js';
import type { Principal } from '../contracts/principal.js';
import { cut } from '../values/cut.js';
import { describeError } from '../values/error-text.js';
import { isUuid } from '../values/ids.js';
import type { Redactor } from '../values/redactor.js';
import { sanitizeText } from '../values/sanitizer.js';
import { mayDecide } from './approver.rules.js';
import { mergeEdit } from './edited.arguments.js';
import { notKept } from './hidden.parts.js';
import { hiddenValues } from './hidden.values.js';

const LONGEST_TEXT = 4000;
const LONGEST_NAME = 200;

/** Turns a person's answer into a vote, or says why it is none. Nothing is written here. */
export class ApprovalBallot {
  private readonly logger = new Logger('gatehouse.approvals');

  constructor(
    private readonly reader: RunReader,
    private readonly validator: ArgumentValidator,
    private readonly evidence: EvidenceStore,
    private readonly sealing: ApprovalSealing,
    private readonly redactor: Redactor,
  ) {}

  /**
   * The approval, where this person may decide it.
   *
   * @throws ApprovalNotFoundError for an unknown one, and one of another organization
   * @throws ApprovalForbiddenError, recorded, when the approval's rules exclude the person
   */
  async decidable(id: string, by: Principal | undefined): Promise<StoredApproval> {
    const approval = await this.stored(id);
    if (isForeign(approval, by)) {
      await this.record(approval, by, 'it belongs to another organization');
      throw new ApprovalNotFoundError(id);
    }
    const may = mayDecide(approval, by);
    return may.ok ? approval : this.refuse(approval, by, may.why);
  }

  /** Records, and throws as `ApprovalForbiddenError`, that somebody tried to decide what they may not. */
  async refuse(approval: ApprovalRequest, by: Principal | undefined, why: string): Promise<never> {
    await this.record(approval, by, why);
    throw new ApprovalForbiddenError(approval.id, why);
  }

  /** The refusal stands whether or not it can be recorded; the log has it in either case. */
  async record(approval: ApprovalRequest, by: Principal | undefined, why: string): Promise<void> {
    const { id, toolName } = approval;
    const principalId = by === undefined ? undefined : cut(sanitizeText(String(by.id)), LONGEST_NAME);
    this.logger.warn(`Approval ${id} of tool '${toolName}' was not decided by '${principalId}': ${why}.`);
    try {
      await this.evidence.appendRefusedDecision({ approvalId: id, principalId, why });
    } catch (error) {
      this.logger.error(`That attempt could not be recorded: ${describeError(error)}`);
    }
  }

  /** Throws `ApprovalNotFoundError` for an unknown id. */
  async stored(id: string): Promise<StoredApproval> {
    // Ours are uuids: anything else need not reach a typed column.
    const approval = isUuid(id) ? await this.reader.approval(id) : undefined;
    if (approval === undefined) throw new ApprovalNotFoundError(id);
    return approval;
  }

  /** Throws as `decidable`, and `ApprovalEditError` or `ApprovalConflictError` where a yes cannot be given like this. */
  async vote(id: string, answer: ApprovalAnswer): Promise<NewVote> {
    const approval = await this.decidable(id, answer.by);
    if (typeof answer.approved !== 'boolean') throw new TypeError('An answer says approved: true or approved: false.');
    if (answer.approved) this.refuseForged(approval);
    const edited = answer.approved ? await this.edit(approval, answer) : undefined;
    if (answer.approved) this.refuseUnseen(approval, edited);
    return Object.freeze({
      approvalId: id,
      principalId: answer.by.id,
      approved: answer.approved,
      reason: bounded(answer.reason),
      note: bounded(answer.note),
      argumentsDigest: answer.argumentsDigest,
      edited,
    });
  }

  /** What was shown may not be what was asked. */
  private refuseForged(approval: StoredApproval): void {
    const { id, status, requestSeal, proposedDigest: argumentsDigest } = approval;
    if (this.sealing.isRequest({ ...approval, argumentsDigest }, requestSeal)) return;
    throw new ApprovalConflictError(id, status, 'what is stored of it was not written by Gatehouse; deny it');
  }

  private async edit(approval: StoredApproval, { editedArgs }: ApprovalAnswer): Promise<EditedArguments | undefined> {
    if (editedArgs === undefined) return undefined;
    const merged = mergeEdit(approval, editedArgs, this.redactor.placeholder);
    if (!merged.ok) throw new ApprovalEditError(approval.id, merged.problems);
    if (merged.arguments === undefined) return editedBefore(approval);
    const validated = await this.validator.validateEdit(approval, merged.arguments);
    if (!validated.ok) throw new ApprovalEditError(approval.id, validated.problems);
    const lost = notKept(merged.putBack, JSON.parse(validated.edited.validated) as JsonValue);
    if (lost.length > 0)
      throw new ApprovalEditError(
        approval.id,
        lost.map((place) => this.lostText(place)),
      );
    return validated.edited;
  }

  private lostText(place: string): string {
    return `the hidden value at ${this.redactor.redactText(place)} does not stay what it was`;
  }

  /** Redacted values were hidden on purpose; what was cut nobody has seen, so nobody can have agreed to it. */
  private refuseUnseen({ id, status, ...approval }: StoredApproval, edited: EditedArguments | undefined): void {
    const { validated, shown } = edited ?? {
      validated: approval.validated,
      shown: approval.editedArgs ?? approval.args,
    };
    const cutOff = hiddenValues(JSON.parse(validated) as JsonValue, shown).filter((one) => one.cut);
    if (cutOff.length === 0) return;
    const places = cutOff.slice(0, 5).map(({ pointer }) => this.redactor.redactText(pointer) || 'the whole');
    const why = `its arguments are too large to be shown (${places.join(', ')}); deny it`;
    throw new ApprovalConflictError(id, status, why);
  }
}

// The same edit once more is the same answer: it must carry the same digest.
function editedBefore({
  received,
  validated,
  argumentsDigest,
  editedArgs,
  hidden,
}: StoredApproval): EditedArguments | undefined {
  return editedArgs === undefined ? undefined : { received, validated, argumentsDigest, shown: editedArgs, hidden };
}

// Who belongs to no organization is not judged here: that is the access policy's.
function isForeign({ organizationId }: StoredApproval, by: Principal | undefined): boolean {
  return organizationId !== undefined && by?.organizationId !== undefined && organizationId !== by.organizationId;
}

function bounded(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : cut(sanitizeText(text), LONGEST_TEXT);
}
