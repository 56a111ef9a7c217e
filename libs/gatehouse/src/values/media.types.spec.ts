import { inMediaRanges, isMediaRange, mediaTypeIn } from './media.types.js';

it.each([
  ['image/png', 'image/png'],
  ['Text/Plain; charset=UTF-8', 'text/plain'],
  ['application/vnd.api+json', 'application/vnd.api+json'],
  ['image/*', undefined],
  ['image', undefined],
  ['', undefined],
  ['image/png\0', undefined],
  ['image/png/x', undefined],
  [`a/${'b'.repeat(128)}`, undefined],
])('%j names the media type %j', (text, type) => {
  expect(mediaTypeIn(text)).toBe(type);
});

it.each([
  ['image/*', true],
  ['application/pdf', true],
  ['*/*', false],
  ['image', false],
  ['image/p*', false],
  ['image/png;q=1', false],
  [' image/png', false],
])('%j is a range: %j', (text, isOne) => {
  expect(isMediaRange(text)).toBe(isOne);
});

it('a range holds its own kind only', () => {
  const accepted = ['image/*', 'application/pdf'];
  const types = ['image/png', 'application/pdf', 'imagery/png', 'application/pdfx', 'text/html'];
  expect(types.filter((type) => inMediaRanges(type, accepted))).toEqual(['image/png', 'application/pdf']);
});
