import type { AccessAction } from 'nest-gatehouse';
import { DeskAccessPolicy } from './desk.access.policy.js';

const policy = new DeskAccessPolicy();
const acme = { organizationId: 'acme' };
const ACTIONS: readonly AccessAction[] = [
  'run.start',
  'run.read',
  'run.cancel',
  'thread.continue',
  'approval.read',
  'approval.decide',
  'audit.read',
  'audit.export',
  'audit.verify',
];

describe('who may what at the desk, beyond their own', () => {
  it.each([
    ['support', ['run.start']],
    ['approver', ['run.start', 'approval.read', 'approval.decide']],
    ['auditor', ['audit.read', 'audit.export']],
    ['manager', []],
  ])('a %s of the same organization may %j', (role, allowed) => {
    const principal = { id: 'somebody', organizationId: 'acme', roles: [role] };
    expect(ACTIONS.filter((action) => policy.can(principal, action, acme))).toEqual(allowed);
  });

  it('every role together opens nothing of another organization, and nothing of none', () => {
    const roles = ['support', 'approver', 'auditor'];
    const stranger = { id: 'somebody', organizationId: 'other', roles };
    const nobodys = { id: 'somebody', roles };
    for (const action of ACTIONS) {
      expect([action, policy.can(stranger, action, acme), policy.can(stranger, action, {})]).toEqual([
        action,
        false,
        false,
      ]);
      expect([action, policy.can(nobodys, action, acme), policy.can(nobodys, action, {})]).toEqual([
        action,
        false,
        false,
      ]);
    }
  });
});
