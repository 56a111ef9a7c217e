import { lastEventId } from './last-event-id.js';
import { ProblemError } from './problem.error.js';

describe('lastEventId', () => {
  it.each([
    ['7', undefined, 7],
    ['7', '3', 7],
    ['', '3', 3],
    [undefined, '3', 3],
    [undefined, '', undefined],
    [undefined, undefined, undefined],
    ['0', undefined, 0],
    // A part of what frame 8 makes: that comes again.
    ['7.2', undefined, 7],
  ])('reads header %j and parameter %j as %j', (header, parameter, expected) => {
    expect(lastEventId(header, parameter)).toEqual(expected);
  });

  it.each([['x'], ['-1'], ['1e3'], ['1.'], ['.5'], ['0x1'], [' 7'], ['9'.repeat(16)], ['7;8']])(
    'refuses %j, wherever it stands',
    (id) => {
      expect(() => lastEventId(id, undefined)).toThrow(ProblemError);
      expect(() => lastEventId(undefined, id)).toThrow(ProblemError);
    },
  );

  it.each([[['1', '2']], [{ a: '1' }], [7]])('refuses a parameter %j that is no text', (parameter) => {
    expect(() => lastEventId(undefined, parameter)).toThrow('none of ours');
  });
});
