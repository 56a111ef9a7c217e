import type { ApprovalPolicy, ApproverPolicy } from '../contracts/approval.policy.js';
import type { ApprovalRequest } from '../contracts/approval.js';
import type { Principal } from '../contracts/principal.js';
import { visibleText } from '../values/visible-text.js';

/** Whether somebody may decide, and if not, in words for them. */
export type MayDecide = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** What the rules look at. */
export type DecidedApproval = Pick<ApprovalRequest, 'approvers' | 'requestedBy'>;

/**
 * Who may decide an approval: a holder of one of `roles`; with `notRequester` nobody on whose behalf the run acts; with neither these nor a
 * quorum only the run's own principal. The anonymous never, and of an unknown requester everybody might be the one.
 */
export function mayDecide({ approvers, requestedBy }: DecidedApproval, principal: Principal | undefined): MayDecide {
  if (principal === undefined || typeof principal.id !== 'string' || principal.id.trim() === '')
    return no('nobody is signed in');
  const { roles, notRequester } = approvers;
  if (notRequester === true && requestedBy === undefined)
    return no('it is not known who requested it, and the requester must not decide');
  // As it is stored: nobody is two people for what no store keeps of their id.
  if (notRequester === true && visibleText(requestedBy ?? '') === visibleText(principal.id))
    return no('whoever requested it must not decide');
  if (roles !== undefined && !roles.some((role) => rolesOf(principal).includes(role)))
    return no('you have none of the roles that decide');
  if (isOpen(approvers) || requestedBy === principal.id) return YES;
  return no('only the person on whose behalf the run acts decides');
}

/** How many distinct people must approve. */
export const quorumOf = ({ quorum }: ApproverPolicy): number => Math.max(1, quorum ?? 1);

/** The fields that may be edited: only where one person decides, who may be the requester. */
export const editableFields = (policy: ApprovalPolicy | undefined): readonly string[] => {
  const { editable = [], approvers = {} } = policy ?? {};
  return Object.freeze(mayEdit(approvers) ? [...editable] : []);
};

/** Whether anybody may edit at all. */
export const mayEdit = (approvers: ApproverPolicy): boolean =>
  quorumOf(approvers) === 1 && approvers.notRequester !== true;

/** Whether there is anybody to ask at all: an anonymous run has nobody but those its policy names. */
export const somebodyMayDecide = (approvers: ApproverPolicy, requestedBy: string | undefined): boolean =>
  requestedBy !== undefined || (isOpen(approvers) && approvers.notRequester !== true);

// Another rule than "your own run, your own decision".
const isOpen = (approvers: ApproverPolicy): boolean =>
  approvers.roles !== undefined || approvers.notRequester === true || quorumOf(approvers) > 1;

// Of whatever authenticated them: a text is no list, and in it every role could be found that is a part of it.
const rolesOf = ({ roles }: Principal): readonly string[] => (Array.isArray(roles) ? (roles as readonly string[]) : []);

const YES: MayDecide = Object.freeze({ ok: true });
const no = (why: string): MayDecide => Object.freeze({ ok: false, why });
