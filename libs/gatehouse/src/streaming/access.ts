import { Logger } from '@nestjs/common';

import type { ApprovalRequest } from '../contracts/approval.js';
import type { AccessAction, AccessPolicy, AccessResource } from '../contracts/ports/access.policy.js';
import type { Owner } from '../contracts/ports/run.reader.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import type { Principal } from '../contracts/principal.js';

/** The pair that runs and threads of this principal belong to. */
export const ownerOf = ({ id, organizationId }: Principal): Owner => ({
  principalId: id,
  ...(organizationId === undefined ? {} : { organizationId }),
});

/** Whether something of this owner is this principal's own. An absent organization is one of its own; nobody owns what has no principal. */
export const isOwn = (principal: Principal, owner: Owner): boolean =>
  owner.principalId === principal.id && owner.organizationId === principal.organizationId;

/** Who owns a run. */
export const runOwner = (run: Pick<StoredRun, 'user' | 'organizationId'>): Owner => ({
  ...(run.user === undefined ? {} : { principalId: run.user.id }),
  ...(run.organizationId === undefined ? {} : { organizationId: run.organizationId }),
});

const approvalOwner = (approval: ApprovalRequest): Owner => ({
  ...(approval.requestedBy === undefined ? {} : { principalId: approval.requestedBy }),
  ...(approval.organizationId === undefined ? {} : { organizationId: approval.organizationId }),
});

/** Asks who may do what: owners may do what owners may, everybody else needs the policy's yes. Whatever is no yes is a no, a throw too. */
export class Access {
  private readonly logger = new Logger('gatehouse.access');

  constructor(private readonly policy: AccessPolicy) {}

  /** Asks the policy alone: for what no ownership grants. */
  async allows(principal: Principal, action: AccessAction, resource: AccessResource): Promise<boolean> {
    try {
      const answer: unknown = await this.policy.can(principal, action, Object.freeze({ ...resource }));
      return answer === true;
    } catch (error) {
      this.logger.error(
        `AccessPolicy.can threw for ${action}; read as no.`,
        error instanceof Error ? error.stack : String(error),
      );
      return false;
    }
  }

  async run(principal: Principal, action: 'run.read' | 'run.cancel', run: StoredRun): Promise<boolean> {
    const owner = runOwner(run);
    if (isOwn(principal, owner)) return true;
    return this.allows(principal, action, { ...owner, runId: run.id, threadId: run.threadId, agent: run.agent });
  }

  /** `owner`: nothing for a thread that nobody has used yet, which is anybody's to start. */
  async thread(principal: Principal, threadId: string, owner: Owner | undefined): Promise<boolean> {
    if (owner === undefined || isOwn(principal, owner)) return true;
    return this.allows(principal, 'thread.continue', { ...owner, threadId });
  }

  async approval(
    principal: Principal,
    action: 'approval.read' | 'approval.decide',
    approval: ApprovalRequest,
  ): Promise<boolean> {
    const owner = approvalOwner(approval);
    if (isOwn(principal, owner)) return true;
    const { id, runId, threadId, toolName, approvers } = approval;
    const roles = approvers.roles === undefined ? {} : { approverRoles: approvers.roles };
    return this.allows(principal, action, { ...owner, ...roles, approvalId: id, runId, threadId, toolName });
  }
}
