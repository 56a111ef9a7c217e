import { resultOf } from './resume.result.js';

const resolved = (payload: unknown) => resultOf({ interruptId: 'o1', status: 'resolved', payload });

it('reads a result, whatever JSON it is', () => {
  expect(resolved({ result: { rows: 3 } })).toEqual({ operationId: 'o1', value: { rows: 3 } });
  expect(resolved({ result: null })).toEqual({ operationId: 'o1', value: null });
  expect(resolved({ result: false, approved: true })).toEqual({ operationId: 'o1', value: false });
});

it('reads an error', () => {
  expect(resolved({ error: 'The printer is out of paper.' })).toEqual({
    operationId: 'o1',
    error: 'The printer is out of paper.',
  });
});

it('reads a cancelled interrupt as an error', () => {
  expect(resultOf({ interruptId: 'o1', status: 'cancelled', payload: { result: 1 } })).toEqual({
    operationId: 'o1',
    error: 'Cancelled by user.',
  });
});

it.each([undefined, null, 'done', { approved: true }, { error: ' ' }, { error: 7 }, { result: 1, error: 'both' }])(
  'reads nothing in %j',
  (payload) => expect(resolved(payload)).toBeUndefined(),
);
