import type { JsonObject } from '../contracts/json.js';
import { mergeEdit, type EditedApproval } from './edited.arguments.js';
import { notKept } from './hidden.parts.js';

const merge = (approval: EditedApproval, edited: JsonObject) => mergeEdit(approval, edited, '[redacted]');

const APPROVAL: EditedApproval = Object.freeze({
  approvers: {},
  editable: ['amount', 'note'],
  received: '{"amount":"5","order":"7","password":"hunter2"}',
  validated: '{"amount":5,"currency":"EUR","order":7,"password":"hunter2"}',
  args: { amount: 5, currency: 'EUR', order: 7, password: '[redacted]' },
});
const SHOWN = { amount: 5, currency: 'EUR', order: 7, password: '[redacted]' };

describe('mergeEdit', () => {
  it('what is left as it was shown keeps its exact value, as it was received', () => {
    expect(merge(APPROVAL, { ...SHOWN, amount: 3 })).toEqual({
      ok: true,
      arguments: { amount: 3, order: '7', password: 'hunter2' },
      putBack: [],
    });
  });

  it('what equals the exact value is unchanged too', () => {
    expect(merge(APPROVAL, { ...SHOWN, password: 'hunter2' })).toEqual({ ok: true, arguments: undefined, putBack: [] });
  });

  it('a listed field may be added, or left out', () => {
    expect(merge(APPROVAL, { ...SHOWN, note: 'ok' })).toMatchObject({ arguments: { note: 'ok', amount: '5' } });
    const { amount: _amount, ...rest } = SHOWN;
    expect(merge(APPROVAL, rest)).toEqual({ ok: true, arguments: { order: '7', password: 'hunter2' }, putBack: [] });
  });

  it('any other difference is refused, each by name', () => {
    const { order: _order, ...rest } = SHOWN;
    expect(merge(APPROVAL, { ...rest, password: 'other', extra: 1 })).toEqual({
      ok: false,
      problems: ["'order' may not be edited", "'password' may not be edited", "'extra' may not be edited"],
    });
  });

  it('a key such as __proto__ is a field like any other', () => {
    const edited = JSON.parse(
      '{"amount":5,"currency":"EUR","order":7,"password":"hunter2","__proto__":{"admin":true}}',
    ) as never;
    expect(merge(APPROVAL, edited)).toEqual({ ok: false, problems: ["'__proto__' may not be edited"] });
  });

  it('nothing may be edited where several people decide, or nothing is listed', () => {
    for (const approvers of [{ quorum: 2 }, { notRequester: true }]) {
      expect(merge({ ...APPROVAL, approvers }, SHOWN)).toMatchObject({ ok: false });
    }
    expect(merge({ ...APPROVAL, editable: [] }, SHOWN)).toEqual({
      ok: false,
      problems: ['its arguments may not be edited'],
    });
  });

  it('a hidden part that is left as it was shown keeps its exact value, and is to stay it', () => {
    const approval: EditedApproval = {
      ...APPROVAL,
      editable: ['card'],
      received: '{"card":{"holder":"Ann","pan":" 4111 "}}',
      validated: '{"card":{"holder":"Ann","pan":"4111"}}',
      args: { card: { holder: 'Ann', pan: '[redacted]' } },
    };
    const merged = merge(approval, { card: { holder: 'Bob', pan: '[redacted]' } });
    const putBack = [{ path: ['card', 'pan'], exact: '4111' }];
    expect(merged).toEqual({ ok: true, arguments: { card: { holder: 'Bob', pan: ' 4111 ' } }, putBack });
    expect(notKept(putBack, { card: { holder: 'Bob', pan: '4111' } })).toEqual([]);
    expect(notKept(putBack, { card: { holder: 'Bob', pan: '5111' } })).toEqual(['/card/pan']);
    expect(notKept(putBack, [])).toEqual(['/card/pan']);
  });

  it('what stands for a hidden value is refused anywhere else, but not where nothing is hidden', () => {
    expect(merge(APPROVAL, { ...SHOWN, note: 'was [redacted]' })).toEqual({
      ok: false,
      problems: ['/note holds what stands for a hidden value: leave it where it was shown, or write what is meant'],
    });
    const open = { ...APPROVAL, validated: '{"amount":5}', args: { amount: 5 } };
    expect(merge(open, { amount: 5, note: 'was [redacted]' })).toMatchObject({ ok: true });
  });

  it('a field whose name is hidden is named as it is shown', () => {
    const approval: EditedApproval = {
      ...APPROVAL,
      received: '{"amount":5,"ann@acme.test":1}',
      validated: '{"amount":5,"ann@acme.test":1}',
      args: { amount: 5, '[redacted]': 1 },
    };
    expect(merge(approval, { amount: 4, '[redacted]': 1 })).toMatchObject({
      arguments: { amount: 4, 'ann@acme.test': 1 },
    });
    expect(merge(approval, { amount: 5 })).toEqual({ ok: false, problems: ["'[redacted]' may not be edited"] });
  });

  it('what is no object is refused', () => {
    for (const edited of [null, 'x', [1]])
      expect(merge(APPROVAL, edited as never)).toEqual({ ok: false, problems: ['arguments are an object'] });
  });
});
