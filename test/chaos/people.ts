import type { Person } from './server.pair.js';

const organizationId = 'acme';

/** Asks for the calls. */
export const ANN: Person = { id: 'ann', organizationId, roles: ['support'] };

/** Whoever may decide. */
export const BOB: Person = { id: 'bob', organizationId, roles: ['approver'] };
export const CAT: Person = { id: 'cat', organizationId, roles: ['approver'] };

/** Whoever may not: by the access policy, by the approval's rules, by belonging elsewhere. */
export const STRANGERS: readonly Person[] = [
  { id: 'rex', organizationId, roles: ['reader'] },
  { id: 'kim', organizationId, roles: ['clerk'] },
  { id: 'mal', organizationId: 'other', roles: ['approver'] },
];
