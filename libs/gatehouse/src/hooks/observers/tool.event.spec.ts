import { Redactor } from '../../values/redactor.js';
import { preview, shownArguments } from './tool.event.js';

describe('tool events', () => {
  it('a preview is at most its length and three dots, and splits no character', () => {
    expect(preview('abc', 3)).toBe('abc');
    expect(preview('abcd', 3)).toBe('abc...');
    expect(preview('ab😀d', 3)).toBe('ab...');
    expect(preview('abc', 0)).toBe('...');
  });

  it('arguments that are no object are shown as one', () => {
    const redactor = new Redactor();
    expect(shownArguments('x'.repeat(121), redactor)).toEqual({ value: `${'x'.repeat(120)}...` });
    expect(shownArguments(undefined, redactor)).toEqual({});
    expect(shownArguments(null, redactor)).toEqual({});
    expect(shownArguments({ none: null, yes: true, list: [] }, redactor)).toEqual({
      none: null,
      yes: true,
      list: '[]',
    });
  });

  it('a secret is hidden before anything is cut, so that no half of it is shown', () => {
    const redactor = new Redactor({ valuePatterns: [/hunter\d+/] });
    const args = { note: `${'x'.repeat(116)}hunter2000`, nested: { apiKey: 'hunter2' } };
    expect(shownArguments(args, redactor)).toEqual({
      note: `${'x'.repeat(116)}[red...`,
      nested: '{"apiKey":"[redacted]"}',
    });
  });
});
