import { mergeEdit, type EditedApproval } from './edited.arguments.js';

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
    expect(mergeEdit(APPROVAL, { ...SHOWN, amount: 3 })).toEqual({
      ok: true,
      arguments: { amount: 3, order: '7', password: 'hunter2' },
    });
  });

  it('what equals the exact value is unchanged too', () => {
    expect(mergeEdit(APPROVAL, { ...SHOWN, password: 'hunter2' })).toEqual({ ok: true, arguments: undefined });
  });

  it('a listed field may be added, or left out', () => {
    expect(mergeEdit(APPROVAL, { ...SHOWN, note: 'ok' })).toMatchObject({ arguments: { note: 'ok', amount: '5' } });
    const { amount: _amount, ...rest } = SHOWN;
    expect(mergeEdit(APPROVAL, rest)).toEqual({ ok: true, arguments: { order: '7', password: 'hunter2' } });
  });

  it('any other difference is refused, each by name', () => {
    const { order: _order, ...rest } = SHOWN;
    expect(mergeEdit(APPROVAL, { ...rest, password: 'other', extra: 1 })).toEqual({
      ok: false,
      problems: ["'order' may not be edited", "'password' may not be edited", "'extra' may not be edited"],
    });
  });

  it('a key such as __proto__ is a field like any other', () => {
    const edited = JSON.parse(
      '{"amount":5,"currency":"EUR","order":7,"password":"hunter2","__proto__":{"admin":true}}',
    ) as never;
    expect(mergeEdit(APPROVAL, edited)).toEqual({ ok: false, problems: ["'__proto__' may not be edited"] });
  });

  it('nothing may be edited where several people decide, or nothing is listed', () => {
    for (const approvers of [{ quorum: 2 }, { notRequester: true }]) {
      expect(mergeEdit({ ...APPROVAL, approvers }, SHOWN)).toMatchObject({ ok: false });
    }
    expect(mergeEdit({ ...APPROVAL, editable: [] }, SHOWN)).toEqual({
      ok: false,
      problems: ['its arguments may not be edited'],
    });
  });
});
