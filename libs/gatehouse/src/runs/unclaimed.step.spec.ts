import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { StoredOperation } from '../contracts/ports/stored.step.js';
import { isUnclaimed } from './unclaimed.step.js';

const operation = (operationId: string, changes: Partial<StoredOperation> = {}) =>
  ({ operationId, approvalId: `approval of ${operationId}`, ...changes }) as StoredOperation;
const approval = (operationId: string, status: StoredApproval['status']) => ({ operationId, status }) as StoredApproval;
const deferral = (operationId: string, status: StoredDeferral['status']) => ({ operationId, status }) as StoredDeferral;
const judged = (
  operations: readonly StoredOperation[],
  approvals: readonly StoredApproval[],
  deferrals: readonly StoredDeferral[] = [],
) => isUnclaimed({ runId: 'r', step: 1, text: '', messageId: 'm', operations }, { approvals, deferrals });
const result = { status: 'completed', outcome: 'success', content: '' } as const;

it.each(['pending', 'approved', 'denied', 'expired', 'superseded'] as const)(
  'a response whose call waited, and whose approval is %s, was not touched',
  (status) => expect(judged([operation('a')], [approval('a', status)])).toBe(true),
);

it.each(['executing', 'unknown', 'done'] as const)('one whose approval is %s may have run', (status) => {
  expect(judged([operation('a'), operation('b')], [approval('a', 'approved'), approval('b', status)])).toBe(false);
});

it('what was settled before the suspension is no matter', () => {
  const settled = operation('a', { approvalId: undefined, result });
  expect(judged([settled, operation('b')], [approval('b', 'approved')])).toBe(true);
});

it('a response that never waited, and one that is settled, are not being resumed', () => {
  expect(judged([operation('a', { approvalId: undefined })], [])).toBe(false);
  expect(judged([operation('a', { result })], [approval('a', 'done')])).toBe(false);
});

it('a response that had asked for all of it on its way to the suspension was not touched either', () => {
  const unsuspended = [operation('a', { approvalId: undefined }), operation('b', { approvalId: undefined })];
  expect(judged(unsuspended, [approval('a', 'approved'), approval('b', 'pending')])).toBe(true);
  expect(judged(unsuspended, [approval('a', 'approved'), approval('b', 'executing')])).toBe(false);
});

it('one with a call that had not asked waits for the one that had', () => {
  const unsuspended = [operation('a', { approvalId: undefined }), operation('b', { approvalId: undefined })];
  expect(judged(unsuspended, [approval('a', 'approved')])).toBe(true);
  expect(judged(unsuspended, [])).toBe(false);
});

it('one that already asks about another call in its place is not left waiting', () => {
  expect(judged([operation('a')], [approval('a', 'approved'), approval('redirected', 'pending')])).toBe(false);
});

describe('a call that was handed on', () => {
  const unsuspended = operation('a', { approvalId: undefined });

  it.each(['open', 'answered'] as const)('runs nowhere here, and its result is not lost: %s', (status) => {
    expect(judged([unsuspended], [], [deferral('a', status)])).toBe(true);
    expect(judged([unsuspended, operation('b')], [approval('b', 'executing')], [deferral('a', status)])).toBe(false);
  });

  it('after it was approved and claimed, has withdrawn its claim', () => {
    expect(judged([operation('a')], [approval('a', 'done')], [deferral('a', 'open')])).toBe(true);
  });

  it('in the place of another one cannot be gone on with', () => {
    expect(judged([operation('a')], [approval('a', 'approved')], [deferral('redirected', 'open')])).toBe(false);
  });
});
