import type { Principal } from 'nest-gatehouse';

const ACME = 'acme';

const everybody: readonly Principal[] = [
  { id: 'support', organizationId: ACME, roles: ['support'] },
  { id: 'approver', organizationId: ACME, roles: ['approver'] },
  { id: 'approver2', organizationId: ACME, roles: ['approver'] },
  { id: 'auditor', organizationId: ACME, roles: ['auditor'] },
  { id: 'outsider', organizationId: 'other', roles: ['support'] },
];

/** DEMO ONLY: whoever knows the name is the person. The bearer token of each is its id. */
export const DEMO_PRINCIPALS: ReadonlyMap<string, Principal> = new Map(
  everybody.map((principal) => [principal.id, Object.freeze(principal)]),
);
