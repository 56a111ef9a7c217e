import { resultSize } from './size-of-result.js';

describe('resultSize', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  it.each([
    ['undefined', undefined, 0],
    ['a string, as it is', 'abc', 3],
    ['an empty string', '', 0],
    ['an astral character: two UTF-16 units', '\u{1f600}', 2],
    ['null', null, 4],
    ['a number', 12.5, 4],
    ['an object: its JSON', { a: [1, 'x'] }, '{"a":[1,"x"]}'.length],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'.length],
    ['a function', () => 1, 0],
    ['a bigint: as it is stored', 10n, '"10"'.length],
    ['a cycle: as it is stored', cycle, '{"self":"[circular]"}'.length],
  ])('%s', (_, value, size) => {
    expect(resultSize(value)).toBe(size);
  });
});
