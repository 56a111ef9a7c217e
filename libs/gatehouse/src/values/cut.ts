/**
 * The text, at most `max` UTF-16 units long. What is cut ends with a marker that counts as part of `max` and names the
 * whole length, such as ` [truncated: 1200 characters]`; where that does not fit, with `…`. Never splits a surrogate pair.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const marker = ` [truncated: ${text.length} characters]`;
  if (marker.length <= max) return wholeStart(text, max - marker.length) + marker;
  return max >= 1 ? `${wholeStart(text, max - 1)}…` : '';
}

/** The first `length` UTF-16 units, one fewer where that would split a surrogate pair. */
export function wholeStart(text: string, length: number): string {
  const splits = /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(length));
  return text.slice(0, splits ? length - 1 : length);
}
