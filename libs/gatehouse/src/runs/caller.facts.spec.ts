import { InvalidQueryError } from '../contracts/errors/invalid-query.error.js';
import type { JsonValue } from '../contracts/json.js';
import type { Principal } from '../contracts/principal.js';
import { givenPrincipal, isSomebody, storableState } from './caller.facts.js';

type State = Record<string, JsonValue>;

describe('the principal of a run', () => {
  it('is the given one, and nobody where none is given', () => {
    const ann = { id: 'ann' };
    expect(givenPrincipal(ann)).toBe(ann);
    expect([givenPrincipal(undefined), givenPrincipal(null)]).toEqual([undefined, undefined]);
  });

  it.each([{}, { id: '' }, { id: ' \t' }, { id: 7 }, { id: null }, 'ann', 7])('is refused where it is %j', (user) => {
    expect(isSomebody(user)).toBe(false);
    expect(() => givenPrincipal(user as unknown as Principal)).toThrow(InvalidQueryError);
    expect(() => givenPrincipal(user as unknown as Principal)).toThrow(
      'user.id must be a text that names the principal; leave user out where there is none.',
    );
  });
});

describe('the state of a run', () => {
  const cyclic: State = { list: [] };
  (cyclic['list'] as JsonValue[]).push(cyclic);
  const deep: State = {};
  for (let at = deep, level = 0; level < 50_000; level += 1) at = at['a'] = {};
  const unreadable = Object.defineProperty({}, 'a', {
    enumerable: true,
    get: () => {
      throw new Error('not today');
    },
  });

  it('is copied: nothing that is done to it later reaches what was stored', () => {
    const state = { orders: [{ id: 7 }] };
    const stored = storableState(state);
    state.orders.length = 0;
    expect(stored).toEqual({ orders: [{ id: 7 }] });
  });

  it.each([
    ['a cycle', cyclic],
    ['a bigint', { amount: 7n } as unknown as State],
    ['too deep', deep],
    ['unreadable', unreadable as State],
  ])('that is no JSON is refused: %s', (_, state) => {
    expect(() => storableState(state)).toThrow(InvalidQueryError);
    expect(() => storableState(state)).toThrow(
      'state must be plain JSON: nothing that contains itself, no bigint, nothing that cannot be read.',
    );
  });
});
