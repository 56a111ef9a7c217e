import type { JsonObject, JsonValue } from '../contracts/json.js';
import { frozenContainer, frozenCopy } from './deep-freeze.js';

describe('frozenCopy', () => {
  it('is equal, frozen at every level, and shares nothing with the original', () => {
    const original = { list: [{ amount: 1 }], nested: { deep: { text: 'x' } } };
    const copy = frozenCopy(original);
    expect(copy).toEqual(original);
    for (const part of [copy, copy.list, copy.list[0], copy.nested, copy.nested.deep])
      expect(Object.isFrozen(part)).toBe(true);
    original.list[0] = { amount: 2 };
    expect(copy.list).toEqual([{ amount: 1 }]);
    expect(Object.isFrozen(original.nested.deep)).toBe(false);
  });

  it.each([null, true, 0, 'text'])('hands back %j as it is', (value) => {
    expect(frozenCopy(value)).toBe(value);
  });

  it('keeps an own __proto__ key without touching a prototype', () => {
    const copy = frozenCopy(JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject);
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect('polluted' in copy).toBe(false);
  });
});

describe('frozenContainer', () => {
  it('freezes a copy of the outer level and shares what it holds', () => {
    const original: Record<string, JsonValue> = { nested: { a: 1 } };
    const container = frozenContainer(original);
    expect(container).toEqual({ nested: { a: 1 } });
    expect(Object.isFrozen(container)).toBe(true);
    expect(container['nested']).toBe(original['nested']);
    expect(Object.isFrozen(original)).toBe(false);
  });

  it('does the same for a list', () => {
    const nested = { a: 1 };
    const container = frozenContainer([nested]);
    expect(Array.isArray(container)).toBe(true);
    expect(Object.isFrozen(container)).toBe(true);
    expect(container[0]).toBe(nested);
  });

  it('hands back a primitive as it is', () => {
    expect(frozenContainer('text')).toBe('text');
  });
});
