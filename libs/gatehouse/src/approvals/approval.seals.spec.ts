import type { DecisionFacts, RequestFacts } from '../contracts/ports/approval.sealing.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { ApprovalSeals } from './approval.seals.js';

const sealingWith = (...secrets: string[]) =>
  new ApprovalSeals({ approvals: { secrets } } as unknown as ResolvedOptions).sealing;
const ONE = 'one secret of more than 32 characters';
const TWO = 'two secret of more than 32 characters';
const AT = new Date('2026-01-01T00:00:00.000Z');
const DECISION: DecisionFacts = {
  approvalId: 'a',
  runId: 'r',
  operationId: 'o',
  toolName: 'pay',
  argumentsDigest: 'd',
  decidedBy: ['bob', 'ann'],
  decidedAt: AT,
  executeBefore: new Date(AT.getTime() + 1000),
};
const REQUEST: RequestFacts = {
  id: 'a',
  runId: 'r',
  operationId: 'o',
  toolName: 'pay',
  toolFingerprint: 'f',
  argumentsDigest: 'd',
  args: { amount: 5 },
  approvers: { roles: ['boss'], quorum: 2 },
  editable: [],
  requestedBy: 'ann',
  organizationId: 'acme',
};

describe('ApprovalSeals', () => {
  const sealing = sealingWith(ONE);

  it('knows its own decision, whoever is named first', () => {
    const seal = sealing.decision(DECISION) ?? null;
    expect(seal).toMatch(/^[0-9a-f]{64}$/);
    expect(sealing.isDecision({ ...DECISION, decidedBy: ['ann', 'bob'] }, seal)).toBe(true);
    expect(sealing.isDecision(DECISION, null)).toBe(false);
    expect(sealing.isDecision(DECISION, 'no hex')).toBe(false);
    expect(sealingWith(TWO).isDecision(DECISION, seal)).toBe(false);
  });

  it.each(Object.keys(DECISION) as (keyof DecisionFacts)[])('a decision with another %s is another', (field) => {
    const other =
      field === 'decidedBy' ? ['bob'] : field.endsWith('At') || field === 'executeBefore' ? new Date(0) : 'x';
    const seal = sealing.decision(DECISION) ?? null;
    expect(sealing.isDecision({ ...DECISION, [field]: other }, seal)).toBe(false);
  });

  it.each<[keyof RequestFacts, unknown]>([
    ['args', { amount: 6 }],
    ['approvers', { roles: ['boss'] }],
    ['approvers', { quorum: 2 }],
    ['approvers', { roles: ['boss'], quorum: 2, notRequester: true }],
    ['editable', ['amount']],
    ['requestedBy', undefined],
    ['organizationId', 'other'],
    ['toolFingerprint', 'g'],
  ])('a request with another %s is another: %j', (field, value) => {
    const seal = sealing.request(REQUEST) ?? null;
    expect(sealing.isRequest(REQUEST, seal)).toBe(true);
    expect(sealing.isRequest({ ...REQUEST, [field]: value }, seal)).toBe(false);
  });

  it('B06 no text can move from one field to the next', () => {
    const seal = sealing.decision({ ...DECISION, operationId: 'o","x', toolName: 'pay' }) ?? null;
    for (const [operationId, toolName] of [
      ['o', 'x","pay'],
      ['o\n', 'x'],
      ['o|x', 'pay'],
    ] as const) {
      expect(sealing.isDecision({ ...DECISION, operationId, toolName }, seal)).toBe(false);
    }
  });

  it('the first secret signs, every one is known', () => {
    const old = sealingWith(ONE).decision(DECISION) ?? null;
    const both = sealingWith(TWO, ONE);
    expect(both.isDecision(DECISION, old)).toBe(true);
    expect(both.decision(DECISION)).toBe(sealingWith(TWO).decision(DECISION));
  });

  it('one kind of signature is not another: a vote is no decision', () => {
    const vote = { approvalId: 'a', principalId: 'bob', argumentsDigest: 'd' };
    expect(sealing.isVote(vote, sealing.vote(vote) ?? null)).toBe(true);
    expect(sealing.isVote({ ...vote, principalId: 'ann' }, sealing.vote(vote) ?? null)).toBe(false);
    expect(sealing.isDecision(DECISION, sealing.vote(vote) ?? null)).toBe(false);
  });

  it('without a secret nothing is signed, and nothing is asked for', () => {
    const none = sealingWith();
    expect([none.request(REQUEST), none.decision(DECISION)]).toEqual([undefined, undefined]);
    expect(none.isDecision(DECISION, null)).toBe(true);
  });
});
