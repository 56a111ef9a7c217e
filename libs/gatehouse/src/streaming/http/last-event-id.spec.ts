import { lastEventId } from './last-event-id.js';
import { ProblemError } from './problem.error.js';

describe('lastEventId', () => {
  it.each([
    ['7', undefined, { seq: 7, parts: 0 }],
    ['7', '3', { seq: 7, parts: 0 }],
    ['', '3', { seq: 3, parts: 0 }],
    [undefined, '3', { seq: 3, parts: 0 }],
    [undefined, '', undefined],
    [undefined, undefined, undefined],
    ['0', undefined, { seq: 0, parts: 0 }],
    // Two of the events that frame 8 makes.
    ['7.2', undefined, { seq: 7, parts: 2 }],
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
