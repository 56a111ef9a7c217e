import { isPlainCopy } from './plain-copy.js';

class Dto {
  constructor(readonly order: number) {}
}

describe('isPlainCopy', () => {
  it.each([
    ['a scalar', 1, 1, true],
    ['negative zero, which JSON does not know', -0, 0, true],
    ['an object in another order', { b: [1, { c: null }], a: 'x' }, { a: 'x', b: [1, { c: null }] }, true],
    ['an instance of a class', new Dto(7), { order: 7 }, true],
    ['another value', { order: 8 }, { order: 7 }, false],
    ['a member more', { order: 7, to: 'me' }, { order: 7 }, false],
    ['a member less', {}, { order: 7 }, false],
    ['an undefined member: a closer look', { order: 7, to: undefined }, { order: 7 }, false],
    ['a longer list', [1, 2], [1], false],
    ['a list that is an object', [1], { 0: 1 }, false],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z', false],
    ['a map', new Map(), {}, false],
    ['something with toJSON', { toJSON: () => ({ order: 7 }), order: 7 }, { order: 7, toJSON: 1 }, false],
    ['a text for a number', { order: '7' }, { order: 7 }, false],
    ['an inherited member', Object.create({ order: 7 }), { order: 7 }, false],
  ])('%s', (_, live, json, same) => {
    expect(isPlainCopy(live, json)).toBe(same);
  });
});
