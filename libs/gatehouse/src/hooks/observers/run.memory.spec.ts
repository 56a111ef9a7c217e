import { RunMemory } from './run.memory.js';

describe('RunMemory', () => {
  it('keeps one track for each run, and one for calls outside of runs', () => {
    const memory = new RunMemory<string[]>(() => []);
    memory.of('a').push('one');
    memory.of().push('outside');
    expect([memory.of('a'), memory.of('b'), memory.of()]).toEqual([['one'], [], ['outside']]);
  });

  it('forgets the run that it has not heard of for longest', () => {
    const memory = new RunMemory<object>(() => ({}), 2);
    const [a, b] = [memory.of('a'), memory.of('b')];
    expect(memory.of('a')).toBe(a);
    memory.of('c');
    expect(memory.seen('a')).toBe(a);
    expect(memory.seen('b')).toBeUndefined();
    expect(memory.of('b')).not.toBe(b);
  });

  it('looking makes no track and is no news of a run', () => {
    const memory = new RunMemory<object>(() => ({}), 2);
    expect(memory.seen('a')).toBeUndefined();
    memory.of('a');
    memory.of('b');
    memory.seen('a');
    memory.of('c');
    expect(memory.seen('a')).toBeUndefined();
  });
});
