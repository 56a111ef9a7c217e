import { isPending } from './pending.js';

describe('isPending', () => {
  it('is true of promises and of whatever else has a then', () => {
    const callable = { then: (done: (value: string) => void) => done('late') } as PromiseLike<string>;
    expect([Promise.resolve(1), callable].map(isPending)).toEqual([true, true]);
  });

  it('is false of what is there already', () => {
    expect([undefined, null, 0, '', 'then', {}, [], { then: 'next' }].map(isPending)).toEqual(Array(8).fill(false));
  });
});
