import { Injectable } from '@nestjs/common';
import { type AccessAction, AccessPolicy, type AccessResource, type Principal } from 'nest-gatehouse';

/** Which role opens what, within one's own organization. Owners may see, cancel and continue their own without being listed here. */
const OPENED_BY: Readonly<Partial<Record<AccessAction, readonly string[]>>> = {
  'run.start': ['support', 'approver'],
  'approval.read': ['approver'],
  'approval.decide': ['approver'],
  'audit.read': ['auditor'],
  'audit.export': ['auditor'],
  // Not 'audit.verify': that is about the evidence of all organizations, and for whoever runs the desk: `npm run -s gatehouse -- verify`.
};

/** Who may do what at the desk. */
@Injectable()
export class DeskAccessPolicy extends AccessPolicy {
  override can(principal: Principal, action: AccessAction, resource: AccessResource): boolean {
    const { organizationId, roles = [] } = principal;
    if (organizationId === undefined || resource.organizationId !== organizationId) return false;
    return OPENED_BY[action]?.some((role) => roles.includes(role)) ?? false;
  }
}
