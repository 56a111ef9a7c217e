import canonicalize from 'canonicalize';

import type { JsonValue } from '../contracts/json.js';

/**
 * The RFC 8785 text of a JSON value: keys sorted by UTF-16 code units, no white space, −0 as 0.
 * The same value always gives the same text.
 *
 * @throws Error for a lone surrogate, a number that is not finite, a cycle, or what is no JSON at all
 */
export function canonicalText(value: JsonValue): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError(`A value of type ${typeof value} has no canonical JSON text.`);
  return text;
}
