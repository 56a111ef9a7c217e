import { isPending } from './pending.js';

describe('isPending', () => {
  it('is true of promises and of whatever else has a then', () => {
    const callable = { then: (done: (value: string) => void) => done('late') } as PromiseLike<string>;
    expect([isPending(Promise.resolve(1)), isPending(callable)]).toEqual([true, true]);
  });

  it('is false of what is there already', () => {
    const there: unknown[] = [undefined, null, 0, '', 'then', {}, [], { then: 'next' }];
    expect(there.filter((value) => isPending(value))).toEqual([]);
  });
});
