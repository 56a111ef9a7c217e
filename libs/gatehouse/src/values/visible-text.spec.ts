import { isWellFormed, visibleText } from './visible-text.js';

describe('visibleText', () => {
  it.each([
    ['plain', 'plain'],
    ['a\0b\0', 'a\\u0000b\\u0000'],
    ['\ud800', '\ufffd'],
    ['\udc00\ud800', '\ufffd\ufffd'],
    ['\u{1f600}', '\u{1f600}'],
    ['tab\tand\u0001', 'tab\tand\u0001'],
  ])('%j becomes %j', (text, visible) => {
    expect(visibleText(text)).toBe(visible);
  });
});

describe('isWellFormed', () => {
  it.each([
    ['', true],
    ['\u{1f600}', true],
    ['a\ud83d', false],
    ['\ude00a', false],
  ])('%j: %s', (text, answer) => {
    expect(isWellFormed(text)).toBe(answer);
  });
});
