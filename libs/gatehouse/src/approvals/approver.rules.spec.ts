import type { ApproverPolicy } from '../contracts/approval.policy.js';
import type { Principal } from '../contracts/principal.js';
import { editableFields, mayDecide } from './approver.rules.js';

const REQUESTER: Principal = { id: 'u1' };
const COLLEAGUE: Principal = { id: 'u2' };
const FINANCE: Principal = { id: 'u3', roles: ['finance'] };
const FINANCE_REQUESTER: Principal = { id: 'u1', roles: ['finance'] };

const NOT_OWN = 'only the person on whose behalf the run acts decides';
const NO_ROLE = 'you have none of the roles that decide';
const IS_REQUESTER = 'whoever requested it must not decide';
const UNKNOWN = 'it is not known who requested it, and the requester must not decide';

describe('mayDecide', () => {
  it.each<[string, ApproverPolicy, Principal, string | true]>([
    ["by default the run's own principal", {}, REQUESTER, true],
    ['by default nobody else', {}, FINANCE, NOT_OWN],
    ['a holder of a role', { roles: ['support', 'finance'] }, FINANCE, true],
    ['not without it, own run or not', { roles: ['finance'] }, REQUESTER, NO_ROLE],
    ['roles are compared byte by byte', { roles: ['Finance'] }, FINANCE, NO_ROLE],
    ['no roles at all are nobody', { roles: [] }, FINANCE, NO_ROLE],
    ['the requester with the role', { roles: ['finance'] }, FINANCE_REQUESTER, true],
    ['four eyes: not the requester', { roles: ['finance'], notRequester: true }, FINANCE_REQUESTER, IS_REQUESTER],
    ['four eyes without roles: anybody else', { notRequester: true }, COLLEAGUE, true],
    ['a quorum without roles: anybody', { quorum: 2 }, COLLEAGUE, true],
    ['a quorum of one is none', { quorum: 1 }, COLLEAGUE, NOT_OWN],
  ])('%s', (_, approvers, principal, expected) => {
    const answer = mayDecide({ approvers, requestedBy: 'u1' }, principal);
    expect(answer).toEqual(expected === true ? { ok: true } : { ok: false, why: expected });
  });

  it.each([undefined, { id: '' }, { id: '  ' }, { roles: ['finance'] } as unknown as Principal])(
    'the anonymous never: %p',
    (nobody) => {
      for (const approvers of [{}, { roles: ['finance'] }, { quorum: 2 }, { notRequester: true }]) {
        expect(mayDecide({ approvers, requestedBy: undefined }, nobody)).toEqual({
          ok: false,
          why: 'nobody is signed in',
        });
      }
    },
  );

  it('roles that are no list hold no role', () => {
    const eve = { id: 'eve', roles: 'no-finance-rights' } as unknown as Principal;
    expect(mayDecide({ approvers: { roles: ['finance'] } }, eve)).toEqual({ ok: false, why: NO_ROLE });
  });

  it.each([
    ['u\0', 'u\\u0000'],
    ['u\ud800', 'u\uFFFD'],
  ])('the requester is known as they are stored: %j', (id, requestedBy) => {
    expect(mayDecide({ approvers: { notRequester: true }, requestedBy }, { id })).toEqual({
      ok: false,
      why: IS_REQUESTER,
    });
  });

  it('of an unknown requester everybody might be the one', () => {
    expect(mayDecide({ approvers: { roles: ['finance'], notRequester: true } }, FINANCE)).toEqual({
      ok: false,
      why: UNKNOWN,
    });
    expect(mayDecide({ approvers: {} }, FINANCE)).toEqual({ ok: false, why: NOT_OWN });
  });
});

describe('editableFields', () => {
  it('are those listed, where one person decides who may be the requester', () => {
    expect(editableFields({ editable: ['amount'] })).toEqual(['amount']);
    expect(editableFields({ editable: ['amount'], approvers: { roles: ['finance'], quorum: 1 } })).toEqual(['amount']);
    expect(editableFields({ editable: ['amount'], approvers: { quorum: 2 } })).toEqual([]);
    expect(editableFields({ editable: ['amount'], approvers: { notRequester: true } })).toEqual([]);
    expect(editableFields(undefined)).toEqual([]);
  });
});
