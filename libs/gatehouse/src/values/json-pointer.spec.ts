import { pointer } from './json-pointer.js';

describe('pointer', () => {
  it.each([
    [[], 'the top level'],
    [['a', 0, 'b'], '/a/0/b'],
    [['a/b', 'c~d'], '/a~1b/c~0d'],
    [[''], '/'],
    [['\0', '\ud800'], '/\\u0000/\ufffd'],
  ])('%j is %j', (path, text) => {
    expect(pointer(path)).toBe(text);
  });

  it('stays short, whatever the keys', () => {
    expect(pointer(['k'.repeat(100_000), 'k'.repeat(100_000)])).toHaveLength(200);
  });
});
