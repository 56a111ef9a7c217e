import type { TracedEnd } from '../../contracts/ports/trace.context.js';
import { callEndAttributes, callSpanName } from './call.attributes.js';

class BankError extends Error {}

it.each<[TracedEnd['status'], unknown, string | undefined]>([
  ['completed', undefined, undefined],
  ['stubbed', undefined, undefined],
  ['redirected', undefined, undefined],
  ['deferred', undefined, undefined],
  ['waiting', undefined, undefined],
  ['rejected', undefined, 'rejected'],
  ['denied', new BankError('no'), 'denied'],
  ['skipped', undefined, 'skipped'],
  ['aborted', new BankError('no'), 'aborted'],
  ['expired', undefined, 'expired'],
  ['interrupted', new BankError('no'), 'interrupted'],
  ['failed', new BankError('no'), 'BankError'],
  ['failed', 'no error at all', 'NonError'],
  ['failed', undefined, '_OTHER'],
])('of a call that was %s, after %p, error.type is %p', (status, error, expected) => {
  expect(callEndAttributes({ status, error }, false)['error.type']).toBe(expected);
});

it.each([
  ['lookup', 'execute_tool lookup'],
  ['crm.find-order:v2', 'execute_tool crm.find-order:v2'],
  ['two words', 'execute_tool'],
  ['x'.repeat(129), 'execute_tool'],
  ['', 'execute_tool'],
])('a call of %p is the span %p', (name, expected) => {
  expect(callSpanName(name)).toBe(expected);
});
